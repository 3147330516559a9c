// Draws that are the same for the same words, so that a seed tells a whole run again.

/** Draws whole numbers below `sides`. */
export type Dice = (sides: number) => number;

/** The same numbers for the same words. */
export function dice(...words: readonly (string | number)[]): Dice {
  let state = 0x811c9dc5;
  for (const letter of words.join("\n")) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193);
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

/** One of several. */
export function pick<Value>(draw: Dice, values: readonly Value[]): Value {
  const value = values[draw(values.length)];
  if (value === undefined) throw new Error("There is nothing to choose from");
  return value;
}

/** Whether it happens that happens once in so many times. */
export const once = (draw: Dice, times: number): boolean => draw(times) === 0;

export function shuffled<Item>(items: readonly Item[], draw: Dice): Item[] {
  return items
    .map((item) => ({ item, place: draw(0x7fffffff) }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ item }) => item);
}
