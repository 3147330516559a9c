// Notes volumes that are no longer attached to a guest.
import type { Guest } from "../state/guest.js";

const slots = 256;

/** Puts the volume into the first free `unusedN`, unless it is noted already. @returns its slot, empty when all are taken */
export function registerUnused(guest: Guest, volid: string): string {
  const names = Array.from({ length: slots }, (_, index) => `unused${index}`);
  const slot =
    names.find((name) => guest.config[name] === volid) ?? names.find((name) => guest.config[name] === undefined);
  if (slot !== undefined) guest.config[slot] = volid;
  return slot ?? "";
}
