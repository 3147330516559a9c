// Requests for the request log, and what it holds of them.
import type { LoggedRequest } from "../../../src/access/requestLog.js";
import type { TestServices } from "../../support/services.js";

export const request = (path: string, at = "2026-11-21T12:00:00Z"): LoggedRequest => ({
  at: new Date(at),
  tokenId: 7,
  tokenName: "shop",
  sourceIp: "203.0.113.5",
  method: "GET",
  path,
  status: 200,
  durationMs: 1.25,
});

/** Paths of all requests, in the order of their times. */
export async function loggedPaths({ pool }: TestServices): Promise<string[]> {
  const { rows } = await pool.query<{ path: string }>("select path from request_log order by at, id");
  return rows.map(({ path }) => path);
}
