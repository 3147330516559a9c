// What marks a safety copy.
import { isTag } from "./names.js";

/** @returns the tag of safety copies; the brand must make one that Proxmox VE takes, see `isBrand`. */
export const safetyCopyTag = (brand: string): string => `${brand.toLowerCase()}-migrated`;

/** @returns whether a brand can stand in the tag. */
export const isBrand = (brand: string): boolean => isTag(safetyCopyTag(brand));

/** @returns the tags with the safety copy's added, each once: Proxmox VE always replaces the whole list. */
export const withSafetyCopyTag = (tags: readonly string[], brand: string): string[] => [
  ...new Set([...tags, safetyCopyTag(brand)]),
];
