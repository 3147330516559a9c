// The digest of a guest's configuration, by which concurrent changes are refused.
import { createHash } from "node:crypto";
import type { ConfigValues, Guest } from "../state/guest.js";

/** SHA-1 over everything the configuration file holds. */
export function digestOf(guest: Guest): string {
  const { config, pending, pendingDeletes, snapshots, rawLines } = guest;
  const text = JSON.stringify([sorted(config), sorted(pending), [...pendingDeletes], [...snapshots], rawLines]);
  return createHash("sha1").update(text).digest("hex");
}

function sorted(values: ConfigValues): unknown {
  return Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
