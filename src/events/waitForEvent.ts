// Waits for an announcement of the database instead of polling: reads once, and again after each announcement.
import type { Events, Topic } from "./events.js";

/** The announcement that may change the result. */
export interface AwaitedEvent {
  readonly topic: Topic;
  readonly id: number;
  /** Longest wait, milliseconds; default: unlimited. */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats `read` after each announcement until it has a result. It also repeats after a lost connection (`gap`), because
 * announcements may have been missed.
 * @param read null: no result yet
 * @returns null when the time is up @throws what `read` throws; the signal's reason
 */
export async function waitForEvent<Result>(
  events: Events,
  { topic, id, timeoutMs, signal }: AwaitedEvent,
  read: () => Promise<Result | null>,
): Promise<Result | null> {
  let announced = Promise.withResolvers<void>();
  let isOver = false;
  const wake = (): void => announced.resolve();
  const end = (): void => {
    isOver = true;
    wake();
  };
  const subscriptions = [events.on(topic, (changed) => changed === id && wake()), events.on("gap", wake)];
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
  signal?.addEventListener("abort", wake);
  try {
    for (;;) {
      signal?.throwIfAborted();
      // Before the read: an announcement during the read must end the next wait.
      announced = Promise.withResolvers<void>();
      const result = await read();
      if (result !== null || isOver) return result;
      await announced.promise;
    }
  } finally {
    clearTimeout(timer);
    for (const unsubscribe of subscriptions) unsubscribe();
    signal?.removeEventListener("abort", wake);
  }
}
