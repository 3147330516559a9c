// Decides how long a heartbeat may be held by the service and when the next one is due.
import type { Reply } from "./protocol.js";

/** The service is never asked to hold a heartbeat for longer than this. */
const LONGEST_WAIT_SECONDS = 25;
/** A service that asks for the same finished jobs again and again is answered once a second. */
const REPEAT_PAUSE_MS = 1_000;

/**
 * Seconds that the service may hold the next heartbeat (0: it answers at once): whole ones, never longer than its own interval.
 * @param lastReply null when the agent must not be held: it has not been answered yet, has results to deliver, or
 * has jobs under way whose results must not be late.
 */
export function waitSeconds(lastReply: Reply | null): number {
  return lastReply === null ? 0 : Math.min(LONGEST_WAIT_SECONDS, Math.floor(lastReply.intervalSeconds));
}

export interface Beaten {
  readonly reply: Reply;
  /** Whether this heartbeat was a long poll. */
  readonly wasHeld: boolean;
  /** Jobs without a result yet. */
  readonly running: number;
  /** Results to deliver: ones never sent, only ones sent before, or none. */
  readonly waiting: "new" | "repeated" | "none";
  /** Since the heartbeat began. */
  readonly elapsedMs: number;
}

/** Milliseconds until the next heartbeat is due; a job that finishes cuts them short. */
export function pauseMs({ reply, wasHeld, running, waiting, elapsedMs }: Beaten): number {
  if (waiting === "new") return 0;
  if (waiting === "repeated") return Math.max(0, REPEAT_PAUSE_MS - elapsedMs);
  // After the first answer, and when everything was delivered, the next long poll begins at once.
  if (!wasHeld && running === 0 && waitSeconds(reply) > 0) return 0;
  // A long poll that was cut short without a job (a service that is stopping, say) must not become a busy loop.
  return Math.max(0, reply.intervalSeconds * 1000 - elapsedMs);
}
