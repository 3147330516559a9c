// Holds the heartbeats of agents that wait for work: a map entry and a timer each, woken by an announcement of the database, up to a limit.
import { systemStopwatch, type Stopwatch } from "../src/concurrency/stopwatch.js";
import type { Events } from "../src/events/events.js";
import { agentsWaiting } from "../src/observability/metrics.js";

/** Longest wait that an agent may ask for, seconds. */
export const LONGEST_WAIT_SECONDS = 60;

/** A node has one agent; a second wait is that of an agent that hung up and came again. */
const MOST_OF_A_NODE = 2;

/** One agent's wait. */
export interface AgentWait {
  /**
   * Resolves with true after an announcement for the node since the wait began, or since the last call: there may be
   * work. Resolves with false when the wait has ended. Only one call at a time.
   */
  next(): Promise<boolean>;
  /** Ends it; one that has ended stays as it is. */
  end(): void;
}

/** Keeps an announcement until it is consumed: one between two reads leads to a third. */
class Waiter implements AgentWait {
  readonly #left: () => void;
  readonly #cancelEnd: () => void;
  #hasNews = false;
  #hasEnded = false;
  #wake: (() => void) | null = null;

  /** @param left called once, when the wait has ended */
  constructor(milliseconds: number, stopwatch: Stopwatch, left: () => void) {
    this.#left = left;
    this.#cancelEnd = stopwatch.after(milliseconds, () => this.end());
  }

  async next(): Promise<boolean> {
    if (!this.#hasNews && !this.#hasEnded) await new Promise<void>((resolve) => (this.#wake = resolve));
    const hasNews = this.#hasNews;
    this.#hasNews = false;
    return hasNews;
  }

  notify(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#cancelEnd();
    this.#left();
    this.#wake?.();
  }
}

export class LongPoll {
  readonly #waiting = new Map<number, Set<Waiter>>();
  readonly #unsubscribe: readonly (() => void)[];
  readonly #mostWaiting: number;
  readonly #stopwatch: Stopwatch;
  #count = 0;
  #closed = false;

  /** @param mostWaiting agents beyond are answered at once, as if they had not asked to wait */
  constructor(events: Events, mostWaiting: number, stopwatch = systemStopwatch) {
    this.#mostWaiting = mostWaiting;
    this.#stopwatch = stopwatch;
    this.#unsubscribe = [
      events.on("agentJob", (nodeId) => this.#wake(nodeId)),
      // Announcements may have been lost: every waiter reads again.
      events.on("gap", () => this.#wakeAll()),
    ];
  }

  /** Begins to listen for announcements of the node; must be ended when the agent disconnects. */
  wait(nodeId: number, milliseconds: number): AgentWait {
    const waiters = this.#waiting.get(nodeId) ?? new Set();
    const waiter = new Waiter(milliseconds, this.#stopwatch, () => {
      waiters.delete(waiter);
      if (waiters.size === 0 && this.#waiting.get(nodeId) === waiters) this.#waiting.delete(nodeId);
      this.#counted(-1);
    });
    this.#waiting.set(nodeId, waiters.add(waiter));
    this.#counted(1);
    const [oldest] = waiters.size > MOST_OF_A_NODE ? waiters : [];
    oldest?.end();
    if (this.#closed || this.#count > this.#mostWaiting) waiter.end();
    return waiter;
  }

  /** Answers everybody who waits: the server stops. */
  close(): void {
    this.#closed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const waiters of this.#waiting.values()) for (const waiter of waiters) waiter.end();
  }

  /** How many agents wait now. */
  get count(): number {
    return this.#count;
  }

  #counted(change: number): void {
    this.#count += change;
    agentsWaiting.set(this.#count);
  }

  #wake(nodeId: number): void {
    for (const waiter of this.#waiting.get(nodeId) ?? []) waiter.notify();
  }

  #wakeAll(): void {
    for (const nodeId of this.#waiting.keys()) this.#wake(nodeId);
  }
}
