// Says what is repeated many times a second only now and then, and how often it was not said.

/** @param say is given what is said, and how many were passed over since the last time */
export function seldom<Said>(leastMs: number, say: (said: Said, more: number) => void): (said: Said) => void {
  let passedOver = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  return (said) => {
    const now = performance.now();
    if (now - lastAt < leastMs) {
      passedOver++;
      return;
    }
    say(said, passedOver);
    passedOver = 0;
    lastAt = now;
  };
}
