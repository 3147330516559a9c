// Waits for work up to a time limit, without cancelling the work.

/** Resolves when the work is done or the time is up; in the second case the work goes on unobserved. @throws what the work throws before the time is up */
export async function waitAtMost(milliseconds: number, work: Promise<void>): Promise<void> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  try {
    await Promise.race([work, timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
}
