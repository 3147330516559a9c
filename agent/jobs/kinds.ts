// The kinds of jobs that this agent can do, by their names in the protocol.
import { isIntegerBetween, isObject } from "../check.js";
import type { JsonObject } from "../check.js";
import { forwardFault, reportFaults, vetForwards } from "../forwardRules.js";
import { parseForwards } from "../forwardSet.js";
import type { Platform } from "../platform/platform.js";
import { tcpCheck } from "./tcpCheck.js";

/** Does the job within a whole number of milliseconds and returns the data of its result; throws with the reason when it cannot be done. */
type PerformJob = (platform: Platform, payload: unknown, timeLimitMs: number) => Promise<JsonObject>;

const LOWEST_VMID = 100;
const HIGHEST_VMID = 999_999_999;
const LONGEST_UNLOCK_MS = 60_000;

const KINDS: ReadonlyMap<string, PerformJob> = new Map<string, PerformJob>([
  ["tcp_check", async (_platform, payload) => ({ ...(await tcpCheck(payload)) })],
  ["unlock_guest", unlockGuest],
  ["apply_port_forwards", applyPortForwards],
]);

/** What does jobs of this kind; throws when the agent does not know it. */
export function performerOf(kind: string): PerformJob {
  const perform = KINDS.get(kind);
  if (perform !== undefined) return perform;
  const known = [...KINDS.keys()].join(", ");
  throw new Error(`this agent does not know jobs of the kind "${kind.slice(0, 100)}" (it knows ${known})`);
}

async function unlockGuest(platform: Platform, payload: unknown, timeLimitMs: number): Promise<JsonObject> {
  if (!isObject(payload)) throw new Error("the payload must be an object");
  const { type, vmid } = payload;
  if (type !== "qemu" && type !== "lxc") throw new Error("type must be qemu or lxc");
  if (!isIntegerBetween(vmid, LOWEST_VMID, HIGHEST_VMID)) throw new Error("vmid must be 100 to 999999999");
  await platform.unlockGuest({ type, vmid }, Math.min(timeLimitMs, LONGEST_UNLOCK_MS));
  return {};
}

async function applyPortForwards(platform: Platform, payload: unknown): Promise<JsonObject> {
  if (!isObject(payload)) throw new Error("the payload must be an object");
  const { taken, faults } = vetForwards(parseForwards(payload["forwards"]), forwardFault);
  await platform.applyForwards(taken);
  reportFaults(faults);
  return { applied: taken.length };
}
