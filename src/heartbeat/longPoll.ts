// Holds agents that wait for work: an entry in a map and a timer each, woken by the database's announcement.
import type { Events } from "../events.js";

/** Longest wait that an agent may ask for, seconds. */
export const LONGEST_WAIT_SECONDS = 60;

export class LongPoll {
  readonly #waiting = new Map<number, Set<() => void>>();
  readonly #unsubscribe: readonly (() => void)[];
  #closed = false;

  constructor(events: Events) {
    this.#unsubscribe = [
      events.on("agentJob", (nodeId) => this.#wake(nodeId)),
      // News may have been lost: everybody looks again.
      events.on("missed", () => this.#wakeAll()),
    ];
  }

  /** Resolves when a job was made for the node, the time is up, or the agent went away. */
  wait(nodeId: number, milliseconds: number, gone: AbortSignal): Promise<void> {
    if (this.#closed || gone.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiters = this.#waiting.get(nodeId) ?? new Set();
    this.#waiting.set(nodeId, waiters);
    const end = (): void => {
      clearTimeout(timer);
      gone.removeEventListener("abort", end);
      waiters.delete(end);
      if (waiters.size === 0) this.#waiting.delete(nodeId);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    gone.addEventListener("abort", end, { once: true });
    waiters.add(end);
    return promise;
  }

  /** Answers everybody who waits: the server stops. */
  close(): void {
    this.#closed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#wakeAll();
  }

  /** How many agents wait now. */
  get count(): number {
    return [...this.#waiting.values()].reduce((sum, waiters) => sum + waiters.size, 0);
  }

  #wake(nodeId: number): void {
    for (const end of this.#waiting.get(nodeId) ?? []) end();
  }

  #wakeAll(): void {
    for (const nodeId of this.#waiting.keys()) this.#wake(nodeId);
  }
}
