// Reads sessions of people; the hashes of their tokens stay in the database.
import { column, expression, moment, type ReadModel } from "../engine/model.js";
import { viewerSessionId } from "../engine/statement.js";
import { visibleUser } from "./visibility.js";

export const sessions: ReadModel = {
  type: "UserSession",
  from: (row) => `session ${row} join user_account ${row}_user on ${row}_user.id = ${row}.user_id`,
  visible: (row, viewer, bind) => visibleUser(`${row}_user`, viewer, bind),
  fields: {
    id: column("id"),
    createdAt: moment("created_at"),
    lastUsedAt: moment("last_used_at"),
    expiresAt: moment("expires_at"),
    sourceIp: column("source_ip"),
    userAgent: column("user_agent"),
    kind: column("kind"),
    current: expression((row, bind) => `coalesce(${row}.id = ${bind(viewerSessionId)}::integer, false)`),
  },
};
