// Distinguishes a database that is temporarily unable to serve from a refused statement, and maps it to the refusal that callers receive.
import { DroverError } from "../errors/errors.js";

/** SQLSTATEs of connection exceptions, too many connections, shutdown and start-up; error codes of sockets and name resolution. */
const AWAY =
  /^(08...|53300|57P0[1-35]|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
const AWAY_MESSAGES =
  /connection terminated|client has encountered a connection error|cannot use a pool after|client was closed and is not queryable|^timeout expired$/i;
/** `read_only_sql_transaction`, as of a standby before its promotion; a full disk, no memory, another limit that is reached. */
const UNABLE = /^(25006|53[124]00|53000)$/;
/** Errors of the pools when all connections are taken: at once, or after waiting for one. */
const FULL_MESSAGES = /timeout exceeded when trying to connect|too many wait for a database connection/i;
/** `query_canceled` by the statement's time-out, a transaction's time-out, and the driver's own time-out when the server is silent. */
const TOO_LONG = /^(57014|25P0[34])$/;
const TOO_LONG_MESSAGES = /query read timeout/i;
/** `deadlock_detected`, `serialization_failure`: this transaction was rolled back in favour of another. */
const CROSSED = /^40(P01|001)$/;

/** `away`: unreachable, or the connection was lost; `unable`: read-only or out of resources; `full`: no connection was free in time; `tooLong`: a statement timed out; `crossed`: rolled back because of a concurrent transaction. */
export type DatabaseTrouble = "away" | "unable" | "full" | "tooLong" | "crossed";

/**
 * @returns the reason why the database cannot serve; null when a retry would not help. A `DroverError` never counts, whatever its
 *   cause: a Proxmox VE host that refuses connections has the code ECONNREFUSED, too.
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

/** Whether a later retry can help. */
export const isDatabaseTrouble = (error: unknown): boolean => databaseTrouble(error) !== null;

const REFUSALS: Readonly<Record<DatabaseTrouble, { readonly message: string; readonly reason: string }>> = {
  away: { message: "The database cannot be reached at present", reason: "DATABASE_AWAY" },
  unable: { message: "The database takes no changes at present", reason: "DATABASE_AWAY" },
  full: { message: "The service is busy: all of its database connections are in use", reason: "BUSY" },
  tooLong: { message: "The database took too long: ask for less, or try again later", reason: "TIMED_OUT" },
  crossed: { message: "The service is busy: another change was in the way of this one", reason: "BUSY" },
};

/** The error itself if it is a refusal, or the refusal for a database that cannot serve; null for an internal fault. */
export const refusalFor = (error: unknown): DroverError | null =>
  error instanceof DroverError ? error : databaseRefusal(error);

/** `foreign_key_violation` of a written row; the deletion of a referenced row has another message. */
const isReferenceGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "23503" && error.message.startsWith("insert or update");

/** The refusal for a database that cannot serve, or for a reference that was removed concurrently; null for any other error. */
export function databaseRefusal(error: unknown): DroverError | null {
  if (isReferenceGone(error)) {
    const message = "A record that the request refers to was removed during the request";
    return new DroverError("conflict", message, { reason: "REMOVED_MEANWHILE", cause: error });
  }
  const trouble = databaseTrouble(error);
  if (trouble === null) return null;
  const { message, reason } = REFUSALS[trouble];
  return new DroverError("unavailable", message, { reason, cause: error });
}
