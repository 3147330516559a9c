// Waits for an announcement of the database instead of polling: looks once, and again after each announcement.
import type { Events, Topic } from "../events/events.js";

/** What may change the answer. */
export interface News {
  readonly topic: Topic;
  readonly id: number;
  /** How long to wait, milliseconds; left out: for as long as it takes. */
  readonly timeoutMs?: number | undefined;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Looks until there is an answer. After a lost connection, when announcements may have been missed, it looks again.
 * @param look null: there is none yet
 * @returns null when the time is up @throws what `look` throws; the signal's reason when the waiting is ended
 */
export async function awaitNews<Found>(
  events: Events,
  { topic, id, timeoutMs, signal }: News,
  look: () => Promise<Found | null>,
): Promise<Found | null> {
  let news = Promise.withResolvers<void>();
  let isOver = false;
  const hear = (): void => news.resolve();
  const end = (): void => {
    isOver = true;
    hear();
  };
  const listening = [events.on(topic, (heardOf) => heardOf === id && hear()), events.on("missed", hear)];
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs);
  signal?.addEventListener("abort", hear);
  try {
    for (;;) {
      signal?.throwIfAborted();
      // From now on, so that nothing is missed between the look and the waiting.
      news = Promise.withResolvers<void>();
      const found = await look();
      if (found !== null || isOver) return found;
      await news.promise;
    }
  } finally {
    clearTimeout(timer);
    for (const stop of listening) stop();
    signal?.removeEventListener("abort", hear);
  }
}
