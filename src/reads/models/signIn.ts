// Reads sign-ins of people, and tries that failed.
import { column, moment, type ReadModel } from "../engine/model.js";
import { visibleUser } from "./visibility.js";

export const signIns: ReadModel = {
  type: "SignIn",
  from: (row) => `sign_in ${row} join user_account ${row}_user on ${row}_user.id = ${row}.user_id`,
  visible: (row, viewer, bind) => visibleUser(`${row}_user`, viewer, bind),
  fields: {
    id: column("id"),
    at: moment("at"),
    sourceIp: column("source_ip"),
    userAgent: column("user_agent"),
    outcome: column("outcome"),
    newAddress: column("new_address"),
  },
};
