// The figures in the answers of hosts, each with its unit and range. One beyond its range is not known: nonsense decides nothing.
import { z } from "zod";

interface Range {
  readonly least: number;
  readonly largest: number;
}

/** Wide enough for every machine there is, and for every sum that is made of them. */
const RANGES = {
  /** Bytes of RAM: up to 256 TiB. */
  ramBytes: { least: 0, largest: 2 ** 48 },
  /** The same in MiB. */
  ramMib: { least: 0, largest: 2 ** 28 },
  /** Bytes of a disk, a volume or a storage: up to 1 EiB; some distributed ones have more bytes than a number can count one by one. */
  diskBytes: { least: 0, largest: 2 ** 60 },
  /** Processors, or a part of one. */
  cores: { least: 0, largest: 65_536 },
  /** How much of its processors something uses; 1 is all of them, and measured for a moment it may be more. */
  cpuShare: { least: 0, largest: 1000 },
  /** Seconds: some 68 years. */
  uptimeSeconds: { least: 0, largest: 2 ** 31 - 1 },
  /** Seconds since 1970, up to the end of the year 9999. */
  moment: { least: 0, largest: 253_402_300_799 },
  /** As the platform itself limits them. */
  vmid: { least: 100, largest: 999_999_999 },
  /** Of the range that VMIDs are chosen from; what lies beyond it counts as its end. */
  vmidBound: { least: 0, largest: Number.MAX_SAFE_INTEGER },
  /** Bytes of a frame. */
  mtu: { least: 0, largest: 65_535 },
  /** Of a card; 0 is none. */
  vlan: { least: 0, largest: 4094 },
  /** Lines or entries: how many, or the number of one. */
  count: { least: 0, largest: 2 ** 31 - 1 },
} as const satisfies Readonly<Record<string, Range>>;

export type Figure = keyof typeof RANGES;

/** @returns the figure, also one that is written as text; null for what is none, or beyond its range. */
export function figureIn(value: unknown, figure: Figure): number | null {
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  const { least, largest } = RANGES[figure];
  return typeof read === "number" && read >= least && read <= largest ? read : null;
}

/** @returns a whole figure; null as `figureIn`. */
export function wholeFigureIn(value: unknown, figure: Figure, round = Math.round): number | null {
  const read = figureIn(value, figure);
  return read === null ? null : round(read);
}

/** `figureIn` of a key that may be missing. */
export const figureOrNull = (figure: Figure) =>
  z
    .unknown()
    .optional()
    .transform((value) => figureIn(value, figure));

/** Seconds since 1970 as a moment; null when the key is missing, null, 0 or no such figure. */
export const momentOrNull = z
  .unknown()
  .optional()
  .transform((value) => {
    const seconds = figureIn(value, "moment") ?? 0;
    return seconds === 0 ? null : new Date(seconds * 1000);
  });

/** A figure that a guest's configuration states: one that is too large stays too large for every node. */
export const configuredFigure = (stated: number, figure: Figure): number => Math.min(stated, RANGES[figure].largest);
