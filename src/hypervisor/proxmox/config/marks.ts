// Reads the marks in a guest's configuration that tell it from others of its VMID.
import { GuestType } from "../../../core/enums.js";
import type { GuestMarks } from "../../../core/inventory/identity.js";
import { figureIn } from "../figures.js";
import { INTERFACE_KEY } from "./cards.js";
import { parseProperties } from "./propertyString.js";
import { configEntries, configText, type ConfigValues } from "./values.js";

/** `virtio=BC:24:11:…` of a machine, `hwaddr=BC:24:11:…` of a container; in properties of no other name. */
const MAC = /(?:^|,)\w+=((?:[\da-f]{2}:){5}[\da-f]{2})(?:,|$)/i;

/** @returns the marks in a guest's configuration. */
export const guestMarks = (type: GuestType, config: ConfigValues): GuestMarks => ({
  ...proofs(type, config),
  cards: configEntries(config, INTERFACE_KEY).flatMap(([, text]) => MAC.exec(text)?.[1]?.toUpperCase() ?? []),
  root: type === GuestType.LXC ? rootVolume(config) : null,
  name: configText(config, type === GuestType.LXC ? "hostname" : "name"),
});

function proofs(type: GuestType, config: ConfigValues): Pick<GuestMarks, "uuid" | "createdAt" | "generation"> {
  if (type === GuestType.LXC) return { uuid: null, createdAt: null, generation: null };
  return {
    uuid:
      parseProperties(configText(config, "smbios1") ?? "")
        .get("uuid")
        ?.toLowerCase() ?? null,
    createdAt: figureIn(parseProperties(configText(config, "meta") ?? "").get("ctime"), "moment"),
    generation: configText(config, "vmgenid")?.toLowerCase() ?? null,
  };
}

const rootVolume = (config: ConfigValues): string | null =>
  parseProperties(configText(config, "rootfs") ?? "", "volume").get("volume") ?? null;
