// Notes volumes that are no longer attached to a guest.
import type { Guest } from "../state/guest.js";

const slots = 256;

/** Puts the volume into the first free `unusedN`, unless it is noted already. */
export function registerUnused(guest: Guest, volid: string): void {
  const names = Array.from({ length: slots }, (_, index) => `unused${index}`);
  if (names.some((name) => guest.config[name] === volid)) return;
  const free = names.find((name) => guest.config[name] === undefined);
  if (free !== undefined) guest.config[free] = volid;
}
