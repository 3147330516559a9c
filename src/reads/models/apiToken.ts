// Reads API tokens; their hashes stay in the database.
import { column, expression, moment, one, type ReadModel } from "../engine/model.js";
import { presentTime } from "../engine/statement.js";
import { visibleApiToken } from "./visibility.js";

export const apiTokens: ReadModel = {
  type: "ApiToken",
  from: (row) => `api_token ${row}`,
  visible: visibleApiToken,
  fields: {
    id: column("id"),
    name: column("name"),
    prefix: column("prefix"),
    allowedIps: column("allowed_ips"),
    rateLimit: column("rate_limit"),
    connectionScope: column("connection_scope"),
    permissions: column("permissions"),
    status: expression(
      (row, bind) =>
        `case when ${row}.revoked_at is not null then 'revoked' when ${row}.expires_at <= ${bind(presentTime)}::timestamptz then 'expired' else 'active' end`,
    ),
    madeBy: one(
      () => apiTokens,
      (row, maker) => `${maker}.id = ${row}.made_by`,
    ),
    lastUsedAt: moment("last_used_at"),
    lastUsedIp: column("last_used_ip"),
    expiresAt: moment("expires_at"),
    createdAt: moment("created_at"),
    revokedAt: moment("revoked_at"),
  },
};
