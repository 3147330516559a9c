// Sizes, shares and spans of time: their binary units, and how they are shown to people.

export const MIB = 1024 ** 2;
export const GIB = 1024 ** 3;

/** By their thousandths: to format them for each node takes most of explaining a large fleet. */
const SHARES = Array.from({ length: 1001 }, (_, thousandths) => (thousandths / 1000).toFixed(3));

/** @returns MiB of RAM, such as `2048 MiB`; rounded down, so that too little never looks like enough. */
export const mib = (amount: number): string => `${Math.max(0, Math.floor(amount))} MiB`;

/** @returns bytes in GiB, such as `120.5 GiB` or `20 GiB`; rounded down, so that too little never looks like enough. */
export const gib = (bytes: number): string => `${Math.max(0, Math.floor((bytes * 10) / GIB)) / 10} GiB`;

/** @returns bytes that are needed in GiB; rounded up, so that too much never looks like what there is. */
export const gibNeeded = (bytes: number): string => `${Math.ceil((bytes * 10) / GIB) / 10} GiB`;

/** @returns whole seconds, such as `181 s`; rounded up, so that what is over a limit never looks like the limit. */
export const seconds = (span: number): string => `${Math.ceil(span)} s`;

/** @returns a share of 0..1 with three decimals, such as `0.813`. */
export const share = (value: number): string => {
  const thousandths = Math.round(value * 1000);
  return SHARES[thousandths] ?? (thousandths / 1000).toFixed(3);
};

/** @returns a share of 0..1 in percent with at most one decimal, such as `31 %` or `80.5 %`. */
export const percent = (value: number): string => `${Math.round(value * 1000) / 10} %`;

/** @returns a share of 0..1 that is above a limit in percent; never so rounded that it looks like the limit. */
export const percentAbove = (value: number, limitPercent: number): string =>
  percent(Math.max(value, limitPercent / 100 + 0.001));
