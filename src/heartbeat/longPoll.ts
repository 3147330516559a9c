// Holds agents that wait for work: an entry in a map and a timer each, woken by the database's announcement.
import type { Events } from "../events.js";

/** Longest wait that an agent may ask for, seconds. */
export const LONGEST_WAIT_SECONDS = 60;

/** One agent's wait. */
export interface Wait {
  /** True when news for the node ended it: there may be work. False when the time was up, or nobody waits any longer. */
  readonly hasNews: Promise<boolean>;
  /** Ends it; one that has ended stays as it is. */
  readonly end: () => void;
}

export class LongPoll {
  readonly #waiting = new Map<number, Set<(hasNews: boolean) => void>>();
  readonly #unsubscribe: readonly (() => void)[];
  #closed = false;

  constructor(events: Events) {
    this.#unsubscribe = [
      events.on("agentJob", (nodeId) => this.#wake(nodeId)),
      // News may have been lost: everybody looks again.
      events.on("missed", () => this.#wakeAll(true)),
    ];
  }

  /** Begins to listen for news of the node; must be ended when the agent goes away. */
  wait(nodeId: number, milliseconds: number): Wait {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiters = this.#waiting.get(nodeId) ?? new Set();
    const settle = (hasNews: boolean): void => {
      clearTimeout(timer);
      waiters.delete(settle);
      if (waiters.size === 0 && this.#waiting.get(nodeId) === waiters) this.#waiting.delete(nodeId);
      resolve(hasNews);
    };
    const timer = setTimeout(settle, milliseconds, false);
    this.#waiting.set(nodeId, waiters.add(settle));
    if (this.#closed) settle(false);
    return { hasNews: promise, end: () => settle(false) };
  }

  /** Answers everybody who waits: the server stops. */
  close(): void {
    this.#closed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#wakeAll(false);
  }

  #wake(nodeId: number, hasNews = true): void {
    for (const settle of this.#waiting.get(nodeId) ?? []) settle(hasNews);
  }

  #wakeAll(hasNews: boolean): void {
    for (const nodeId of this.#waiting.keys()) this.#wake(nodeId, hasNews);
  }
}
