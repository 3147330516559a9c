// Bounds how often, and with how many bytes, the agent of one node sends heartbeats.
import { DroverError } from "../src/errors/errors.js";

/** What a node may send at once, and what it gets again in a second: heartbeats, a large one counting as several. */
const MOST_AT_ONCE = 100;
const EACH_SECOND = 20;
/** Bytes of a heartbeat that count as one more. */
const BYTES = 16 * 1024;
/** Beyond, nodes whose allowance is whole are forgotten. */
const MANY_NODES = 20_000;
/** Nodes that each heartbeat looks at then, in turn: it adds one at most, and the cost of a heartbeat grows with no number of nodes. */
const LOOKS = 4;

/** What a node may still send. */
export interface Allowance {
  left: number;
  /** When it was counted, monotonic milliseconds. */
  at: number;
}

export class NodeRate {
  readonly #nodes: Map<number, Allowance>;
  #next: Iterator<[number, Allowance]>;

  constructor(nodes: Map<number, Allowance> = new Map()) {
    this.#nodes = nodes;
    this.#next = nodes.entries();
  }

  /** @throws DroverError `rateLimited` when the node has sent too much of late; the heartbeat is not counted then */
  count(nodeId: number, bytes: number, now: number = performance.now()): void {
    const cost = 1 + Math.floor(bytes / BYTES);
    const left = this.#leftOf(nodeId, now);
    if (left < cost) throw tooOften((cost - left) / EACH_SECOND);
    if (this.#nodes.size >= MANY_NODES) this.#forgetSome(now);
    this.#nodes.set(nodeId, { left: left - cost, at: now });
  }

  #leftOf(nodeId: number, now: number): number {
    const known = this.#nodes.get(nodeId);
    return known === undefined ? MOST_AT_ONCE : leftOf(known, now);
  }

  #forgetSome(now: number): void {
    for (let looks = 0; looks < LOOKS; looks++) {
      const { done, value } = this.#next.next();
      if (done === true) {
        this.#next = this.#nodes.entries();
        return;
      }
      const [nodeId, allowance] = value;
      if (leftOf(allowance, now) >= MOST_AT_ONCE) this.#nodes.delete(nodeId);
    }
  }
}

const leftOf = ({ left, at }: Allowance, now: number): number =>
  Math.min(MOST_AT_ONCE, left + ((now - at) / 1000) * EACH_SECOND);

const tooOften = (seconds: number): DroverError =>
  new DroverError("rateLimited", "the node sends heartbeats too often, or too large ones", {
    retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
  });
