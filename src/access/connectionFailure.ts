// Tells a database that cannot be reached at present from a statement that it refused.
import { DroverError } from "../errors.js";

/** Connection exceptions, too many connections, shutdown and start-up of the server; and what sockets and the driver say. */
const AWAY = /^(08...|53300|57P0[1-3]|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|ENOENT)$/;
const DRIVER_MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|cannot use a pool after/i;

/**
 * @returns whether trying again later can help: the database was not reached, or went away meanwhile. A refusal of the service
 *   is none, whatever caused it: a host that refuses connections says ECONNREFUSED too.
 */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DroverError) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return AWAY.test(code) || DRIVER_MESSAGES.test(error.message) || isConnectionFailure(error.cause);
}
