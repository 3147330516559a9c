// Holds back what would be done too often: the first time at once, then at most once a while, and never forgotten.

/** @returns a function that runs `run` with the arguments of the last call, at most once in `milliseconds` */
export function sparingly<Arguments extends unknown[]>(
  run: (...args: Arguments) => void,
  milliseconds: number,
): (...args: Arguments) => void {
  let resting = false;
  let waiting: Arguments | null = null;
  const go = (args: Arguments): void => {
    resting = true;
    run(...args);
    setTimeout(() => {
      resting = false;
      const next = waiting;
      waiting = null;
      if (next !== null) go(next);
    }, milliseconds).unref();
  };
  return (...args) => {
    if (resting) waiting = args;
    else go(args);
  };
}
