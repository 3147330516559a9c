// Marks the original of a guest that has moved as a copy, and takes a guest's protection off.
import type { GuestAddress } from "../../guest.js";
import type { GuestConfig } from "../../guestConfig.js";
import type { Upid } from "../../task.js";
import type { Ask } from "../client.js";
import { configure } from "../guests.js";

/** A copy is started by nobody, also not with its node; it is to go on its date, protected or not. */
export function markCopy(
  ask: Ask,
  guest: GuestAddress,
  { config, tags }: { readonly config: GuestConfig; readonly tags: readonly string[] },
): Promise<Upid | null> {
  const remove = config.isProtected ? ["protection"] : [];
  return configure(ask, guest, { set: { tags: tags.join(";"), onboot: false }, remove, digest: config.digest });
}

export const unprotect = (ask: Ask, guest: GuestAddress): Promise<Upid | null> =>
  configure(ask, guest, { remove: ["protection"] });
