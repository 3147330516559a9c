// Turns a guest's configuration as Proxmox VE writes it into what the service asks of one.
import { configText, cores, isFlagOn, memoryMb, parseTags } from "./values.js";
import { DiskKind, type Disk } from "../../../core/inventory/disk.js";
import { machineHardware } from "./hardware.js";
import { guestMarks } from "./marks.js";
import { guestCards, staticAddresses } from "./cards.js";
import { parseProperties } from "./propertyString.js";
import { bootDisk, guestDisks, isOwnDisk } from "./disks.js";
import { configuredTraits } from "./traits.js";
import { GuestType } from "../../../core/enums.js";
import type { GuestAddress } from "../../guest.js";
import type { GuestConfig, PlatformSettings } from "../../guestConfig.js";
import { keptSettings } from "./keptSettings.js";
import { lockCause } from "./lockCause.js";

const PASSING = ["lock", "protection"];

/** @param settings values in force, or those that wait for a restart among them */
export function describeConfig(
  { type, vmid }: Pick<GuestAddress, "type" | "vmid">,
  settings: PlatformSettings,
  digest: string,
): GuestConfig {
  const lock = configText(settings, "lock");
  const disks = guestDisks(type, settings);
  return {
    note: (settings["description"] ?? "").trimEnd(),
    lock,
    lockCause: lockCause(lock),
    isTemplate: isFlagOn(settings, "template"),
    isProtected: isFlagOn(settings, "protection"),
    tags: parseTags(configText(settings, "tags")),
    cores: cores(type, settings),
    memoryMb: memoryMb(settings),
    disks,
    systemDisk: type === GuestType.QEMU ? bootDisk(settings, disks) : rootFileSystem(disks),
    ownVolumes: disks.flatMap(({ volume }) => (isOwnDisk(volume, vmid) ? [volume] : [])),
    cards: guestCards(settings),
    addresses: staticAddresses(type, settings),
    marks: guestMarks(type, settings),
    traits: configuredTraits(type, settings, disks),
    hardware: machineHardware(settings),
    stateStorage: configText(settings, "vmstatestorage"),
    containerRights: {
      unprivileged: isFlagOn(settings, "unprivileged"),
      nesting: parseProperties(settings["features"] ?? "").get("nesting") === "1",
    },
    settings,
    passingSettings: PASSING,
    keptSettings: keptSettings(type, settings),
    digest,
  };
}

const rootFileSystem = (disks: readonly Disk[]): Disk | null =>
  disks.find(({ key, kind }) => key === "rootfs" && (kind === DiskKind.DATA || kind === DiskKind.HOST_PATH)) ?? null;
