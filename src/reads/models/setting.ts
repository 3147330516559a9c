// Reads the service's settings: one record.
import { bySetting, settingColumn } from "../../core/settings.js";
import { column, visibleToAll, type ReadModel } from "../engine/model.js";

export const settings: ReadModel = {
  type: "Settings",
  from: (row) => `setting ${row}`,
  visible: visibleToAll,
  fields: { ...bySetting((name) => column(settingColumn(name))), secondFactorRoles: column("second_factor_roles") },
};
