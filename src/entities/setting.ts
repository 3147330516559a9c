// Settings of the installation: a column for each entry of the table of settings.
import { defineEntity, p } from "@mikro-orm/core";
import type { UserRole } from "../core/enums.js";
import { bySetting, type Setting, type SETTINGS, type SettingName } from "../core/settings.js";

const whole = (initial: number) => p.integer().default(initial);
const fraction = (initial: number) => p.double().default(initial);
const optional = () => p.integer().nullable();

/** A column's type, by that of its setting. */
type ColumnOf<One extends Setting> = One["initial"] extends null
  ? ReturnType<typeof optional>
  : One["whole"] extends true
    ? ReturnType<typeof whole>
    : ReturnType<typeof fraction>;

const columnOf = (_name: SettingName, { initial, whole: isWhole }: Setting) =>
  initial === null ? optional() : isWhole ? whole(initial) : fraction(initial);

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each column by its own setting
const columns = bySetting(columnOf) as { [Name in SettingName]: ColumnOf<(typeof SETTINGS)[Name]> };

export const SettingEntity = defineEntity({
  name: "Setting",
  tableName: "setting",
  properties: {
    /** There is one row. */
    oneRow: p.boolean().primary().default(true),
    ...columns,
    secondFactorRoles: p.array().$type<UserRole[]>().default([]),
  },
});
