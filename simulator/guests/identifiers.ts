// Makes the random identifiers of new guests: MAC addresses and UUIDs.
import { randomBytes, randomUUID } from "node:crypto";

/** Under the prefix that Proxmox VE owns. */
export function randomMac(): string {
  const tail = [...randomBytes(3)].map((byte) => byte.toString(16).padStart(2, "0").toUpperCase());
  return ["BC", "24", "11", ...tail].join(":");
}

export { randomUUID };
