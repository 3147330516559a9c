// Sizes, shares and spans of time: their binary units, and how they are shown to people.

export const MIB = 1024 ** 2;
export const GIB = 1024 ** 3;

/**
 * Whole and tenths are written apart: numbers with a fraction are slow to turn into text, and thousands of nodes are
 * explained at a time.
 */
function tenths(count: number): string {
  const digit = count % 10;
  const whole = (count - digit) / 10;
  return digit === 0 ? `${whole}` : `${whole}.${digit}`;
}

/** Shares by their thousandths, as text. */
const SHARES = Array.from({ length: 1001 }, (_, thousandths) => (thousandths / 1000).toFixed(3));

/** @returns MiB of RAM, such as `2048 MiB`; rounded down, so that too little never looks like enough. */
export const mib = (mebibytes: number): string => `${Math.max(0, Math.floor(mebibytes))} MiB`;

/** @returns bytes in GiB, such as `120.5 GiB` or `20 GiB`; rounded down, so that too little never looks like enough. */
export const gib = (bytes: number): string => `${tenths(Math.max(0, Math.floor((bytes * 10) / GIB)))} GiB`;

/** @returns whole seconds, such as `181 s`; rounded up, so that what is over a limit never looks like the limit. */
export const seconds = (span: number): string => `${Math.ceil(span)} s`;

/** @returns a share of 0..1 with three decimals, such as `0.813`. */
export const share = (value: number): string => SHARES[Math.round(value * 1000)] ?? value.toFixed(3);

/** @returns a share of 0..1 in percent with at most one decimal, such as `31 %` or `80.5 %`. */
export const percent = (value: number): string => `${tenths(Math.round(value * 1000))} %`;
