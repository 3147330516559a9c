// Says which node names, guest names, VMIDs and tags are well formed, by the rules of Proxmox VE.
import { naturalNumber } from "./integer.js";

export const SMALLEST_VMID = 100;
export const LARGEST_VMID = 999_999_999;

const DNS_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const LABEL = new RegExp(`^${DNS_LABEL}$`);
const DOTTED_LABELS = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
const LONGEST_DNS_NAME = 253;
const TAG = /^[a-z0-9_][a-z0-9_\-+.]*$/i;

/** @returns whether this can be a node's name: one DNS label of 1 to 63 characters. */
export const isNodeName = (text: string): boolean => LABEL.test(text);

/** @returns whether this can be a guest's name: DNS labels with dots between, at most 253 characters in all. */
export const isGuestName = (text: string): boolean => text.length <= LONGEST_DNS_NAME && DOTTED_LABELS.test(text);

/** @returns the VMID (100 to 999999999) that `value` is or spells, else null. */
export function vmidOrNull(value: unknown): number | null {
  const vmid = naturalNumber(value);
  return vmid !== null && vmid >= SMALLEST_VMID && vmid <= LARGEST_VMID ? vmid : null;
}

/** @returns whether Proxmox VE takes this as one guest tag. */
export const isTag = (text: string): boolean => TAG.test(text);
