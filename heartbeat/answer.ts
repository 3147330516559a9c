// The possible answers to a heartbeat.
import { BodyRefused } from "../src/access/admission/body.js";
import { refusalFor } from "../src/db/databaseTrouble.js";
import { REQUIRED_AGENT_VERSION } from "../src/core/version.js";
import { httpStatusOf } from "../src/errors/errors.js";
import type { DeliveredJob } from "./protocol.js";

/** An answer, before it is written. */
export interface HeartbeatAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its line is in the request log already. */
  readonly isLogged?: true;
}

/** The heartbeat is written; these jobs wait for the node. */
export function noted(node: string, jobs: readonly DeliveredJob[], intervalSeconds: number): HeartbeatAnswer {
  const data = { node, interval_seconds: intervalSeconds, required_version: REQUIRED_AGENT_VERSION, jobs };
  return { status: 200, body: { success: true, data, error: null } };
}

export const refusal = (
  status: number,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): HeartbeatAnswer => ({
  status,
  body: { success: false, data: null, error },
  headers,
});

export const UNKNOWN_TOKEN: HeartbeatAnswer = {
  status: 401,
  body: { error: "The agent token is missing, unknown or was replaced" },
  headers: { "WWW-Authenticate": "Bearer" },
};

export const UNKNOWN_NODE = refusal(404, "the node is no longer known");

export const UNREADABLE = refusal(422, "the body is no JSON");

export const OTHER_METHOD = refusal(405, "heartbeats are sent by POST", { Allow: "POST" });

/** Agents take every status but these for a fault of the service, and send the same body again. */
const OF_BODY: ReadonlyMap<number, string> = new Map([
  [408, "the body arrives too slowly"],
  [413, "the body is larger than 1 MiB"],
]);

/** What the service refuses, or cannot do at present; null for a fault. */
export function refusalOf(error: unknown): HeartbeatAnswer | null {
  if (error instanceof BodyRefused) return refusalOfBody(error);
  const refused = refusalFor(error);
  if (refused === null) return null;
  const { kind, message, retryAfterSeconds } = refused;
  return refusal(
    httpStatusOf[kind],
    message,
    retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) },
  );
}

function refusalOfBody({ status }: BodyRefused): HeartbeatAnswer {
  const message = OF_BODY.get(status);
  return message === undefined ? UNREADABLE : refusal(status, message, { Connection: "close" });
}

/** A fault is answered without a word of what it was. */
export const faultAnswer = (requestId: string): HeartbeatAnswer =>
  refusal(500, `Internal error (request ${requestId})`);
