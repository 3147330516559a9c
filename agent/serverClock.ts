// Knows the service's time on a node whose own clock may be wrong or jump.
import { performance } from "node:perf_hooks";

/** Follows the service's clock by the Date headers of its answers and a clock that never jumps. */
export class ServerClock {
  #serverMs: number | null = null;
  #heardAtMs = 0;

  /** `monotonic` gives milliseconds that only ever rise. */
  constructor(private readonly monotonic: () => number = () => performance.now()) {}

  /** Takes the Date header of an answer that arrived just now; an unreadable one is ignored. */
  hear(dateHeader: string | undefined): void {
    const heard = Date.parse(dateHeader ?? "");
    if (Number.isNaN(heard)) return;
    this.#serverMs = heard;
    this.#heardAtMs = this.monotonic();
  }

  /** Milliseconds since the epoch on the service's clock; the node's own until the service has been heard. */
  now(): number {
    if (this.#serverMs === null) return Date.now();
    return this.#serverMs + (this.monotonic() - this.#heardAtMs);
  }
}
