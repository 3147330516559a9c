// Runs work for each item, a few at once, and keeps the order of the results.
import { setTimeout as delay } from "node:timers/promises";

/** @throws the first error; work that has begun is waited for by nobody then */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  return results;
}

/** How much is done at once. */
export interface Growth {
  readonly most: number;
  /** One at first, one more each time that so many milliseconds have passed. */
  readonly everyMs: number;
}

/**
 * The same with no more at once than the slowness of answers asks for: a host that answers soon is asked over one connection, one
 * that lets a question hang is asked the others meanwhile.
 * @throws the first error; work that has begun is waited for by nobody then
 */
export async function inGrowingParallel<Item, Result>(
  items: readonly Item[],
  { most, everyMs }: Growth,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const noMore = new AbortController();
  const isWanted = (number: number): Promise<boolean> =>
    delay(number * everyMs, true, { signal: noMore.signal }).catch(() => false);
  const lane = async (number: number): Promise<void> => {
    if (number > 0 && !(await isWanted(number))) return;
    try {
      for (const [index, item] of queue) results[index] = await work(item);
    } finally {
      noMore.abort();
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, (_, number) => lane(number)));
  return results;
}
