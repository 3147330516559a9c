// Decides when a view is read again: soon after a change, never too often, and at once for a person who comes back to the window.

/** Readings of a view begin at most this often, however much happens, milliseconds. */
const LEAST_INTERVAL_MS = 1_000;
/** After a reading that took long, because there is much to read or the line is bad, comes a pause of so many times its length … */
const PAUSE_TIMES = 4;
/** … but no longer one, milliseconds. */
const LONGEST_PAUSE_MS = 10_000;
/** A reading without an answer for so long hangs, and another one begins in its place, milliseconds. */
const HANGS_MS = 120_000;
/** A service that starts again has all its panels back within seconds: their readings are spread over this, milliseconds. */
const SPREAD_MS = 2_000;

/** The readings of one view, one at a time. What was asked for is never forgotten. */
export interface Refresh {
  /** Reads as soon as the pause after the last reading is over. */
  readonly ask: () => void;
  /** Reads within two seconds, whatever the last reading took: news may have been missed. */
  readonly askAfterLoss: () => void;
  /** Reads now what was asked for, unless a reading is under way. */
  readonly hurry: () => void;
  readonly cancel: () => void;
}

/** @param read resolves when the answer is there, and never rejects; `instead` of a reading that is under way, or after it */
export function pacedRefresh(read: (instead: boolean) => Promise<void>): Refresh {
  let timer: number | undefined;
  /** When the next reading may begin. */
  let free = 0;
  /** Only the end of the latest one counts. */
  let readings = 0;
  let isUnderWay = false;

  const startIn = (milliseconds: number, instead = false): void => {
    window.clearTimeout(timer);
    // One that is under way when the next may begin hangs.
    timer = window.setTimeout(() => void start(instead || isUnderWay), Math.max(0, milliseconds));
  };
  const start = async (instead: boolean): Promise<void> => {
    window.clearTimeout(timer);
    timer = undefined;
    const reading = ++readings;
    const began = performance.now();
    free = began + HANGS_MS;
    isUnderWay = true;
    await read(instead);
    if (reading !== readings) return;
    isUnderWay = false;
    const ended = performance.now();
    free = Math.max(began + LEAST_INTERVAL_MS, ended + pauseAfter(ended - began));
    if (timer !== undefined) startIn(free - ended);
  };
  return {
    ask() {
      if (timer === undefined) startIn(free - performance.now());
    },
    askAfterLoss() {
      // What is under way may never be answered, or tell of before the loss.
      readings++;
      startIn(Math.random() * SPREAD_MS, true);
    },
    hurry() {
      if (timer !== undefined && !isUnderWay) void start(false);
    },
    cancel() {
      readings++;
      window.clearTimeout(timer);
    },
  };
}

/** @param took milliseconds of the reading @returns milliseconds from its end to the beginning of the next */
const pauseAfter = (took: number): number => Math.min(took * PAUSE_TIMES, LONGEST_PAUSE_MS);

/** Calls back when a person comes back to the window or the tab, whose timers the browser may have held until then. */
export function onReturn(listener: () => void): () => void {
  const look = (): void => {
    if (!document.hidden) listener();
  };
  window.addEventListener("focus", look);
  document.addEventListener("visibilitychange", look);
  return () => {
    window.removeEventListener("focus", look);
    document.removeEventListener("visibilitychange", look);
  };
}
