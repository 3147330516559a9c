// Reads the log of API requests.
import { column, expression, moment, type ReadModel } from "../engine/model.js";
import type { Clause } from "../engine/read.js";
import { given, type Optional } from "../engine/criteria.js";
import { visibleRequest } from "./visibility.js";

export const requestLog: ReadModel = {
  type: "RequestLogEntry",
  from: (row) => `request_log ${row}`,
  visible: visibleRequest,
  fields: {
    id: expression((row) => `${row}.id::text`),
    at: moment("at"),
    tokenId: column("token_id"),
    tokenName: column("token_name"),
    sourceIp: column("source_ip"),
    method: column("method"),
    path: column("path"),
    status: column("status"),
    durationMs: column("duration_ms"),
  },
};

/** Which entries to list; what is left out does not restrict. */
interface RequestLogCriteria {
  readonly tokenId?: Optional<number>;
  /** HTTP statuses, both ends included. */
  readonly statusMin?: Optional<number>;
  readonly statusMax?: Optional<number>;
  readonly sourceIp?: Optional<string>;
  /** Part of the path. */
  readonly path?: Optional<string>;
  /** From this moment on, up to but without `to`. */
  readonly from?: Optional<Date>;
  readonly to?: Optional<Date>;
}

/** The conditions of a filter. */
export const requestLogClauses = (criteria: RequestLogCriteria): Clause[] => [
  ...given(criteria.tokenId, (row, id) => `${row}.token_id = ${id}`),
  ...given(criteria.statusMin, (row, least) => `${row}.status >= ${least}::int`),
  ...((criteria.statusMin ?? 0) >= LEAST_REFUSED ? [isRefused] : []),
  ...given(criteria.statusMax, (row, most) => `${row}.status <= ${most}::int`),
  ...given(criteria.sourceIp, (row, address) => `${row}.source_ip = ${address}`),
  ...given(criteria.path, (row, part) => `strpos(${row}.path, ${part}) > 0`),
  ...given(criteria.from, (row, start) => `${row}.at >= ${start}`),
  ...given(criteria.to, (row, end) => `${row}.at < ${end}`),
];

const LEAST_REFUSED = 400;

/** Refusals and faults have an index of their own: PostgreSQL takes it when the statement itself says that it asks for no others. */
const isRefused: Clause = (row) => `${row}.status >= ${LEAST_REFUSED}`;
