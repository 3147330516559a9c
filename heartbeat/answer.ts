// The possible answers to a heartbeat.
import { refusalFor } from "../src/db/databaseTrouble.js";
import { REQUIRED_AGENT_VERSION } from "../src/core/version.js";
import { httpStatusOf } from "../src/errors/errors.js";
import type { DeliveredJob } from "./protocol.js";

/** An answer, before it is written. */
export interface Conclusion {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Its line is in the request log already. */
  readonly isLogged?: true;
}

/** The beat is noted; these jobs wait for the node. */
export function noted(node: string, jobs: readonly DeliveredJob[], intervalSeconds: number): Conclusion {
  const data = { node, interval_seconds: intervalSeconds, required_version: REQUIRED_AGENT_VERSION, jobs };
  return { status: 200, body: { success: true, data, error: null } };
}

export const refusal = (status: number, error: string, headers: Readonly<Record<string, string>> = {}): Conclusion => ({
  status,
  body: { success: false, data: null, error },
  headers,
});

export const UNKNOWN_TOKEN: Conclusion = {
  status: 401,
  body: { error: "The agent token is missing, unknown or was replaced" },
  headers: { "WWW-Authenticate": "Bearer" },
};

export const UNKNOWN_NODE = refusal(404, "the node is no longer known");

export const OTHER_METHOD = refusal(405, "heartbeats are sent by POST", { Allow: "POST" });

/** What the service refuses, or cannot do at present; null for a fault. */
export function refusalOf(error: unknown): Conclusion | null {
  const refused = refusalFor(error);
  if (refused === null) return null;
  const { kind, message, retryAfterSeconds } = refused;
  return refusal(
    httpStatusOf[kind],
    message,
    retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) },
  );
}

/** A fault is answered without a word of what it was. */
export const faultAnswer = (requestId: string): Conclusion => refusal(500, `Internal error (request ${requestId})`);
