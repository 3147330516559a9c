// Version 1 of the agent protocol: the fields of a heartbeat, and how its answer is read.
import { isObject, isText } from "./check.js";
import type { JsonObject } from "./check.js";

/** Heartbeat of protocol v1, as it goes over the wire. */
export interface Heartbeat {
  readonly protocol: 1;
  readonly agent_version: string;
  readonly hypervisor_version: string | null;
  readonly healthy: boolean;
  readonly problems: readonly string[];
  readonly nat_configured: boolean;
  readonly public_address: string | null;
  /** Fraction of all cores that was busy since the last heartbeat, 0..1. */
  readonly cpu_usage: number;
  readonly memory_mb: number;
  readonly memory_used_mb: number;
  readonly results: readonly JobResult[];
}

export interface JobResult {
  readonly id: string;
  readonly status: "done" | "failed";
  readonly error: string | null;
  readonly data: JsonObject;
}

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  /** Milliseconds since the epoch on the service's clock; null when the service named no readable time. */
  readonly deadline: number | null;
}

export interface Reply {
  readonly node: string | null;
  /** Fractions are possible. */
  readonly intervalSeconds: number;
  readonly requiredVersion: string | null;
  readonly jobs: readonly Job[];
}

const DEFAULT_INTERVAL_SECONDS = 15;
const SHORTEST_INTERVAL_SECONDS = 0.1;
const LONGEST_INTERVAL_SECONDS = 3600;

/** Reads the answer to a heartbeat (the whole envelope); throws when it is no such answer. */
export function parseReply(body: unknown): Reply {
  const data = isObject(body) ? body["data"] : undefined;
  if (!isObject(data) || !Array.isArray(data["jobs"])) throw new Error("the answer is not one of the agent protocol");
  return {
    node: isText(data["node"]) ? data["node"] : null,
    intervalSeconds: isInterval(data["interval_seconds"]) ? data["interval_seconds"] : DEFAULT_INTERVAL_SECONDS,
    requiredVersion: isText(data["required_version"]) ? data["required_version"] : null,
    jobs: data["jobs"].map(parseJob).filter((job): job is Job => job !== null),
  };
}

function isInterval(value: unknown): value is number {
  return typeof value === "number" && value >= SHORTEST_INTERVAL_SECONDS && value <= LONGEST_INTERVAL_SECONDS;
}

/** A job without an id cannot even be refused, so it is left out; all else is judged when it is carried out. */
function parseJob(input: unknown): Job | null {
  if (!isObject(input) || !isText(input["id"])) return null;
  const deadline = isText(input["deadline"]) ? Date.parse(input["deadline"]) : Number.NaN;
  return {
    id: input["id"],
    kind: isText(input["kind"]) ? input["kind"] : "",
    payload: input["payload"],
    deadline: Number.isNaN(deadline) ? null : deadline,
  };
}

/** The message of an error answer: the envelope's or the short body's `error`, else the status alone. */
export function refusalMessage(status: number, body: unknown): string {
  const error = isObject(body) ? body["error"] : undefined;
  return isText(error) ? `${status} ${error.slice(0, 300)}` : `status ${status}`;
}
