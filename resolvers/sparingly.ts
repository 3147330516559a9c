// Limits how often something is done: the first call runs at once, later ones at most once per interval, and none is lost.

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
