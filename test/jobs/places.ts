// Which places of a long series a run of the tests tries, as of the writes at which a worker can be killed: a third of them, or all.

/** Which: "all", or a third: "1/3", "2/3" or "3/3". `npm test` chooses a third and prints it. */
const CHOICE = process.env["DROVER_TEST_PLACES"] ?? "all";
const [, third] = /^([123])\/3$/.exec(CHOICE) ?? [];
if (third === undefined && CHOICE !== "all")
  throw new Error(`DROVER_TEST_PLACES is "${CHOICE}": all, 1/3, 2/3 or 3/3 can be tried`);
const [FIRST, STRIDE] = third === undefined ? [1, 1] : [Number(third), 3];

/** The numbers of the places, from 1 on; the series itself knows its end. */
export function* places(): Generator<number, never> {
  for (let place = FIRST; ; place += STRIDE) yield place;
}

/** How many are tried of a series that has so many places at least. */
export const triedOf = (count: number): number => Math.floor(count / STRIDE);
