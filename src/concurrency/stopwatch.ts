// The time that limits are measured by, which never jumps: how it is read, and how something is done later. Tests move it by hand.

export interface Stopwatch {
  /** Milliseconds since any moment, always the same one. */
  milliseconds(): number;
  /** Does something once, so many milliseconds from now. @returns how to have it left undone */
  after(milliseconds: number, work: () => void): () => void;
}

export const systemStopwatch: Stopwatch = {
  milliseconds: () => performance.now(),
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
};
