// What marks a safety copy, how long it is kept, and what may be done with it.
import { isTag } from "./names.js";

export const DEFAULT_RETENTION_DAYS = 7;

const DAY_MILLISECONDS = 86_400_000;

/** @returns the tag of safety copies; the brand must make one that Proxmox VE takes, see `isBrand`. */
export const safetyCopyTag = (brand: string): string => `${brand.toLowerCase()}-migrated`;

/** @returns whether a brand can stand in the tag. */
export const isBrand = (brand: string): boolean => isTag(safetyCopyTag(brand));

/** @returns the tags with the safety copy's added, each once: Proxmox VE always replaces the whole list. */
export const withSafetyCopyTag = (tags: readonly string[], brand: string): string[] => [
  ...new Set([...tags, safetyCopyTag(brand)]),
];

/** @returns when a copy made at a moment is to be deleted; both in milliseconds since 1970. */
export const deletionTime = (madeAt: number, retentionDays: number): number =>
  madeAt + retentionDays * DAY_MILLISECONDS;

/** @returns whether the prune may delete a copy; one without a date is kept until someone deletes it. */
export const isDue = (deleteAt: number | null, now: number): boolean => deleteAt !== null && deleteAt <= now;
