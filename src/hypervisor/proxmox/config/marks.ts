// Reads the marks in a machine's configuration that tell it from others of its VMID.
import { configText, type GuestConfig } from "./values.js";
import type { GuestMarks } from "../../../core/inventory/identity.js";
import { parseProperties } from "./propertyString.js";

/** @returns the marks in a guest's configuration. */
export function guestMarks(config: GuestConfig): GuestMarks {
  const createdAt = Number(parseProperties(configText(config, "meta") ?? "").get("ctime"));
  return {
    uuid:
      parseProperties(configText(config, "smbios1") ?? "")
        .get("uuid")
        ?.toLowerCase() ?? null,
    createdAt: Number.isSafeInteger(createdAt) ? createdAt : null,
    generation: configText(config, "vmgenid")?.toLowerCase() ?? null,
  };
}
