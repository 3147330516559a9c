// Tells a database that cannot serve at present from a statement that it refused, and gives the refusal that callers see.
import { DroverError } from "../errors/errors.js";

/** Connection exceptions, too many connections, shutdown and start-up of the server; and what sockets, names and the driver say. */
const AWAY =
  /^(08...|53300|57P0[1-35]|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
const AWAY_MESSAGES =
  /connection terminated|client has encountered a connection error|cannot use a pool after|client was closed and is not queryable|^timeout expired$/i;
/** `read_only_sql_transaction`, as of a standby before it takes over; a full disk, no memory, another limit that is reached. */
const UNABLE = /^(25006|53[124]00|53000)$/;
/** Errors of the pools when all connections are taken: at once, or after waiting for one. */
const FULL_MESSAGES = /timeout exceeded when trying to connect|too many wait for a database connection/i;
/** `query_canceled`, by the statement's time-out, and a transaction whose time was up; the driver's own message when even that never came. */
const TOO_LONG = /^(57014|25P0[34])$/;
const TOO_LONG_MESSAGES = /query read timeout/i;
/** `deadlock_detected`, `serialization_failure`: of two transactions that were in each other's way this one was broken off, whole. */
const CROSSED = /^40(P01|001)$/;

/** `away`: not reached, or lost meanwhile; `unable`: it takes no changes; `full`: no connection was free in time; `tooLong`: a statement timed out; `crossed`: another transaction was in the way. */
export type DatabaseTrouble = "away" | "unable" | "full" | "tooLong" | "crossed";

/**
 * @returns what keeps the database from serving; null: trying again later would not help. A refusal of the service is none,
 *   whatever caused it: a host that refuses connections says ECONNREFUSED too.
 */
export function databaseTrouble(error: unknown): DatabaseTrouble | null {
  if (!(error instanceof Error) || error instanceof DroverError) return null;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (FULL_MESSAGES.test(error.message)) return "full";
  if (TOO_LONG.test(code) || TOO_LONG_MESSAGES.test(error.message)) return "tooLong";
  if (CROSSED.test(code)) return "crossed";
  if (UNABLE.test(code)) return "unable";
  if (AWAY.test(code) || AWAY_MESSAGES.test(error.message)) return "away";
  return databaseTrouble(error.cause);
}

/** Whether trying again later can help. */
export const isDatabaseTrouble = (error: unknown): boolean => databaseTrouble(error) !== null;

const TOLD: Readonly<Record<DatabaseTrouble, { readonly message: string; readonly reason: string }>> = {
  away: { message: "The database cannot be reached at present", reason: "DATABASE_AWAY" },
  unable: { message: "The database takes no changes at present", reason: "DATABASE_AWAY" },
  full: { message: "The service is busy: all of its database connections are in use", reason: "BUSY" },
  tooLong: { message: "The database took too long: ask for less, or try again later", reason: "TIMED_OUT" },
  crossed: { message: "The service is busy: another change was in the way of this one", reason: "BUSY" },
};

/** A refusal as it was thrown, or the one that people outside are told for a database that cannot serve; null for a fault. */
export const refusalFor = (error: unknown): DroverError | null =>
  error instanceof DroverError ? error : databaseRefusal(error);

/** `foreign_key_violation` of a row that was written; one that is deleted while it is referred to has another message. */
const isReferenceGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "23503" && error.message.startsWith("insert or update");

/** The refusal that people outside are told for such a trouble, or for what somebody removed after it was looked up; null when it is neither. */
export function databaseRefusal(error: unknown): DroverError | null {
  if (isReferenceGone(error)) {
    const message = "Something that the request refers to was removed meanwhile";
    return new DroverError("conflict", message, { reason: "REMOVED_MEANWHILE", cause: error });
  }
  const trouble = databaseTrouble(error);
  if (trouble === null) return null;
  const { message, reason } = TOLD[trouble];
  return new DroverError("unavailable", message, { reason, cause: error });
}
