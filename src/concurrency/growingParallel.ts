// Runs work for each item, with more at once the longer it takes: p-limit has a fixed number.
import pLimit from "p-limit";

/** How much is done at once. */
export interface Growth {
  readonly most: number;
  /** One at first, one more each time that so many milliseconds have passed. */
  readonly everyMs: number;
}

/**
 * As much at once as the slowness of answers asks for: a host that answers soon is asked over one connection, one that lets a question
 * hang is asked the others over further ones.
 * @returns the results in the order of the items
 * @throws the first error; nothing further is begun then
 */
export async function inGrowingParallel<Item, Result>(
  items: readonly Item[],
  { most, everyMs }: Growth,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const limit = pLimit(1);
  const timer = setInterval(() => {
    if (limit.concurrency < most) limit.concurrency++;
  }, everyMs);
  const workOrEnd = async (item: Item): Promise<Result> => {
    try {
      return await work(item);
    } catch (error) {
      limit.clearQueue();
      throw error;
    }
  };
  return limit.map(items, workOrEnd).finally(() => clearInterval(timer));
}
