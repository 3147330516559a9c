// Waits for work, but not for ever.

/** Resolves when the work is done or the time is up; then the work goes on without anybody who waits. @throws what the work throws in time */
export async function noLongerThan(milliseconds: number, work: Promise<void>): Promise<void> {
  const { promise: timeIsUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  try {
    await Promise.race([work, timeIsUp]);
  } finally {
    clearTimeout(timer);
  }
}
