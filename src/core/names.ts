// Says which names of nodes, guests, users, tokens, bridges and tags, and which VMIDs, are well formed, by the rules of Proxmox VE.
import { naturalNumber } from "./integer.js";

export const SMALLEST_VMID = 100;
export const LARGEST_VMID = 999_999_999;

const DNS_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const LABEL = new RegExp(`^${DNS_LABEL}$`);
const DOTTED_LABELS = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
const LONGEST_DNS_NAME = 253;
const TAG = /^[a-z0-9_][a-z0-9_\-+.]*$/i;
const BRIDGE = /^(?!\.{1,2}$)[\w.-]+$/;
/** Of a network interface, in Linux. */
const LONGEST_INTERFACE_NAME = 15;
/** A realm, and a token of a user. */
const REALM = "[A-Za-z][A-Za-z0-9._-]+";
const TOKEN = new RegExp(`^${REALM}$`);
/** 64 characters; the realm follows the last `@`: what comes before it may be a mail address, as directories have them. */
const USER = new RegExp(`^(?=.{1,64}$)[^\\s\\p{Cc}\\p{Cs}:/]+@${REALM}$`, "u");

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

/** @returns whether a guest can be attached to a bridge of this name: one to fifteen letters, digits, `_`, `-` and `.`. */
export const isBridgeName = (text: string): boolean => text.length <= LONGEST_INTERFACE_NAME && BRIDGE.test(text);

/** @returns whether this can be a user with its realm, such as `root@pam` or `jane@example.com@corp`: at most 64 characters. */
export const isUserName = (text: string): boolean => USER.test(text);

/** @returns whether this can be the name of a user's token, such as `panel`. */
export const isTokenName = (text: string): boolean => TOKEN.test(text);
