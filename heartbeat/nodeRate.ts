// Bounds how often, and with how many bytes, the agent of one node sends heartbeats.
import { Allowances } from "../src/concurrency/allowances.js";
import { DroverError } from "../src/errors/errors.js";

/** Heartbeats, a large one counting as several. */
const LIMITS = { mostAtOnce: 100, eachSecond: 20 } as const;
/** Bytes of a heartbeat that count as one more. */
const BYTES = 16 * 1024;

export class NodeRate {
  readonly #nodes = new Allowances<number>(LIMITS);

  /** @throws DroverError `rateLimited` when the node has sent too much of late; the heartbeat is not counted then */
  count(nodeId: number, bytes: number, now: number = performance.now()): void {
    const cost = 1 + Math.floor(bytes / BYTES);
    const left = this.#nodes.leftOf(nodeId, now);
    if (left < cost) throw tooOften((cost - left) / LIMITS.eachSecond);
    this.#nodes.spend(nodeId, cost, now);
  }
}

const tooOften = (seconds: number): DroverError =>
  new DroverError("rateLimited", "the node sends heartbeats too often, or too large ones", {
    retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
  });
