// Limits how often a function is called, and counts the calls that were skipped, which no library does: for log lines that would repeat
// many times a second.

/**
 * @param intervalMs shortest time between two calls that are passed on
 * @param call is given the argument, and how many calls were skipped since it was last called
 */
export function throttle<Argument>(
  intervalMs: number,
  call: (argument: Argument, skipped: number) => void,
): (argument: Argument) => void {
  let skipped = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  return (argument) => {
    const now = performance.now();
    if (now - lastAt < intervalMs) {
      skipped++;
      return;
    }
    call(argument, skipped);
    skipped = 0;
    lastAt = now;
  };
}
