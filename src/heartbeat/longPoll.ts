// Holds the heartbeats of agents that wait for work: a map entry and a timer each, woken by an announcement of the database, up to a limit.
import type { Events } from "../events.js";
import { agentsWaiting } from "../metrics.js";

/** Longest wait that an agent may ask for, seconds. */
export const LONGEST_WAIT_SECONDS = 60;

/** A node has one agent; a second wait is that of an agent that hung up and came again. */
const MOST_OF_A_NODE = 2;

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
  readonly #mostWaiting: number;
  #count = 0;
  #closed = false;

  /** @param mostWaiting agents beyond are answered at once, as if they had not asked to wait */
  constructor(events: Events, mostWaiting: number) {
    this.#mostWaiting = mostWaiting;
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
      if (waiters.delete(settle)) this.#counted(-1);
      if (waiters.size === 0 && this.#waiting.get(nodeId) === waiters) this.#waiting.delete(nodeId);
      resolve(hasNews);
    };
    const timer = setTimeout(settle, milliseconds, false);
    this.#waiting.set(nodeId, waiters.add(settle));
    this.#counted(1);
    const [oldest] = waiters.size > MOST_OF_A_NODE ? waiters : [];
    oldest?.(false);
    if (this.#closed || this.#count > this.#mostWaiting) settle(false);
    return { hasNews: promise, end: () => settle(false) };
  }

  /** Answers everybody who waits: the server stops. */
  close(): void {
    this.#closed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#wakeAll(false);
  }

  /** How many agents wait now. */
  get count(): number {
    return this.#count;
  }

  #counted(change: number): void {
    this.#count += change;
    agentsWaiting.set(this.#count);
  }

  #wake(nodeId: number, hasNews = true): void {
    for (const settle of this.#waiting.get(nodeId) ?? []) settle(hasNews);
  }

  #wakeAll(hasNews: boolean): void {
    for (const nodeId of this.#waiting.keys()) this.#wake(nodeId, hasNews);
  }
}
