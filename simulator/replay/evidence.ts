// Finds out from a recording until when each task was seen running and from when on it was seen ended.
import { isObject } from "./placeholders.js";
import type { Exchange } from "./recording.js";

/** What the recording tells about one task; positions are indexes of its exchanges. */
export interface TaskEvidence {
  startedAt: number;
  /** Last position at which it still ran, or its start. */
  runningUntil: number;
  /** First position at which it had ended; infinite when nobody looked. */
  endedFrom: number;
}

/** Evidence for every UPID that an exchange answered with, by the id of that exchange. */
export function collectEvidence(exchanges: readonly Exchange[]): Map<string, TaskEvidence> {
  const evidence = new Map<string, TaskEvidence>();
  for (const [index, exchange] of exchanges.entries()) {
    if (startedTask(exchange) !== null) {
      evidence.set(exchange.id, { startedAt: index, runningUntil: index, endedFrom: Number.POSITIVE_INFINITY });
    }
    const known = evidence.get(exchange.upid_of ?? "");
    const ended = showsEnd(exchange);
    if (known === undefined || ended === null) continue;
    if (ended) known.endedFrom = Math.min(known.endedFrom, index);
    else if (index < known.endedFrom) known.runningUntil = index;
  }
  return evidence;
}

/** UPID that an exchange started a task under, or null. */
export function startedTask(exchange: Exchange): string | null {
  const data = isObject(exchange.body) ? exchange.body.data : null;
  return typeof data === "string" && data.startsWith("UPID:") ? data : null;
}

/** Whether the recorded answer shows an ended task (true), a running one (false) or neither (null). */
export function showsEnd(exchange: Exchange): boolean | null {
  if (exchange.upid_of === undefined || exchange.status !== 200) return null;
  const data = isObject(exchange.body) ? exchange.body.data : null;
  if (isObject(data) && typeof data.status === "string") return data.status === "stopped";
  if (!Array.isArray(data)) return null;
  const last: unknown = data.at(-1);
  const text = isObject(last) && typeof last.t === "string" ? last.t : "";
  return text.startsWith("TASK ");
}
