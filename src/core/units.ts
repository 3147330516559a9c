// Sizes, shares and spans of time: their binary units, and how they are shown to people.

export const MIB = 1024 ** 2;
export const GIB = 1024 ** 3;

/** How an amount is shown: counted in parts, which are wholes, tenths, thousandths or millionths of it. */
export interface Scale {
  /** @returns how many parts the amount has: a whole number. */
  parts(amount: number): number;
  /** So many decimals a part has. */
  readonly decimals: 0 | 1 | 3 | 6;
  /** Whether zeros at the end of the decimals are left out. */
  readonly trimmed: boolean;
  /** @returns so many parts in digits. */
  digits(parts: number): string;
}

/**
 * Whole and tenths are written apart: numbers with a fraction are slow to turn into text, and thousands of nodes are
 * explained at a time.
 */
function tenths(count: number): string {
  if (count < 0) return `-${tenths(-count)}`;
  const digit = count % 10;
  const whole = (count - digit) / 10;
  return digit === 0 ? `${whole}` : `${whole}.${digit}`;
}

/** Shares by their thousandths, as text. */
const SHARES = Array.from({ length: 1001 }, (_, thousandths) => (thousandths / 1000).toFixed(3));

/** A count, as it is. */
export const COUNT: Scale = { parts: (count) => count, decimals: 0, trimmed: true, digits: String };

/** MiB; rounded down, so that too little never looks like enough. */
export const MEBIBYTES: Scale = {
  parts: (mebibytes) => Math.max(0, Math.floor(mebibytes)),
  decimals: 0,
  trimmed: true,
  digits: String,
};

/** Bytes in GiB; rounded down, so that too little never looks like enough. */
export const GIBIBYTES: Scale = {
  parts: (bytes) => Math.max(0, Math.floor((bytes * 10) / GIB)),
  decimals: 1,
  trimmed: true,
  digits: tenths,
};

/** A share of 0..1 to three decimals, such as `0.813`. */
export const SHARE: Scale = {
  parts: (value) => Math.round(value * 1000),
  decimals: 3,
  trimmed: false,
  digits: (thousandths) => SHARES[thousandths] ?? (thousandths / 1000).toFixed(3),
};

/** A share of 0..1 in percent. */
export const PERCENT: Scale = {
  parts: (value) => Math.round(value * 1000),
  decimals: 1,
  trimmed: true,
  digits: tenths,
};

/** A number that was rounded to 1e-6, as programs take it. */
export const MILLIONTHS: Scale = {
  parts: (value) => Math.round(value * 1e6),
  decimals: 6,
  trimmed: true,
  digits: (millionths) => String(millionths / 1e6),
};

/** @returns the amount in digits, without its unit. */
export const written = (scale: Scale, amount: number): string => scale.digits(scale.parts(amount));

/** @returns MiB of RAM, such as `2048 MiB`. */
export const mib = (mebibytes: number): string => `${written(MEBIBYTES, mebibytes)} MiB`;

/** @returns bytes in GiB, such as `120.5 GiB` or `20 GiB`. */
export const gib = (bytes: number): string => `${written(GIBIBYTES, bytes)} GiB`;

/** @returns bytes that are needed in GiB; rounded up, so that too much never looks like what there is. */
export const gibNeeded = (bytes: number): string => `${tenths(Math.ceil((bytes * 10) / GIB))} GiB`;

/** @returns whole seconds, such as `181 s`; rounded up, so that what is over a limit never looks like the limit. */
export const seconds = (span: number): string => `${Math.ceil(span)} s`;

/** @returns a share of 0..1 with three decimals, such as `0.813`. */
export const share = (value: number): string => written(SHARE, value);

/** @returns a share of 0..1 in percent with at most one decimal, such as `31 %` or `80.5 %`. */
export const percent = (value: number): string => `${written(PERCENT, value)} %`;

/** @returns a share of 0..1 that is above a limit in percent; never so rounded that it looks like the limit. */
export const percentAbove = (value: number, limitPercent: number): string =>
  percent(Math.max(value, limitPercent / 100 + 0.001));
