// Reads from a guest's configuration what matters for moving it to another host.
import { GuestType } from "../../../core/enums.js";
import type { ConfiguredTraits } from "../../../core/migration/guestTraits.js";
import { configEntries, configText, isFlagOn, type ConfigValues } from "./values.js";
import { DiskKind, type Disk } from "../../../core/inventory/disk.js";
import { parseProperties } from "./propertyString.js";
import { guestDisks, isLinkedClone } from "./disks.js";

/** Keys that only root@pam may set, which no API token is, whatever its privileges. */
const ROOT_ONLY_KEYS = {
  [GuestType.QEMU]:
    /^(?:args|hookscript|affinity|arch|amd-sev|intel-tdx|hugepages|keephugepages|ivshmem|spice_enhancements|parallel\d+|virtiofs\d+)$/,
  [GuestType.LXC]: /^hookscript$/,
} satisfies Record<GuestType, RegExp>;

/** @returns what of a configuration matters for a move. */
export function configuredTraits(
  type: GuestType,
  config: ConfigValues,
  disks: readonly Disk[] = guestDisks(type, config),
): ConfiguredTraits {
  const volumes = (isWanted: (disk: Disk) => boolean) => disks.filter(isWanted).map(({ volume }) => volume);
  return {
    template: isFlagOn(config, "template"),
    lock: configText(config, "lock"),
    pciDevices: keys(config, /^hostpci\d*$/),
    usbDevices: configEntries(config, /^(?:usb\d+|hostusb)$/).flatMap(([key, text]) => (isSpice(text) ? [] : [key])),
    mountedMedia: volumes(({ kind, volume }) => kind === DiskKind.CDROM && volume !== "none"),
    containerDevices: type === GuestType.LXC ? keys(config, /^dev\d+$/) : [],
    rawLxcKeys: rawKeys(configText(config, "lxc")),
    hostPaths: volumes(({ kind }) => kind === DiskKind.HOST_PATH),
    rootOnlySettings: rootOnlySettings(type, config),
    linkedClones: volumes(isLinkedClone),
    customCpu: type === GuestType.QEMU ? customCpu(config) : null,
    cloudInitFiles: [...parseProperties(configText(config, "cicustom") ?? "").values()],
  };
}

function rootOnlySettings(type: GuestType, config: ConfigValues): string[] {
  const plain = keys(config, ROOT_ONLY_KEYS[type]);
  return [...plain, ...(type === GuestType.QEMU ? serialDevices(config) : rootOnlyFeatures(config))];
}

/** A serial port that is a socket belongs to nobody's hardware. */
const serialDevices = (config: ConfigValues): string[] =>
  configEntries(config, /^serial\d+$/).flatMap(([key, text]) => (text === "socket" ? [] : [key]));

/** Of a container's features an ordinary user may set nesting only, and of a privileged container's none. */
function rootOnlyFeatures(config: ConfigValues): string[] {
  const features = [...parseProperties(configText(config, "features") ?? "").keys()];
  const isPrivileged = !isFlagOn(config, "unprivileged");
  return features.filter((feature) => isPrivileged || feature !== "nesting").map((feature) => `features: ${feature}`);
}

function customCpu(config: ConfigValues): string | null {
  const model = parseProperties(configText(config, "cpu") ?? "", "cputype").get("cputype") ?? "";
  return model.startsWith("custom-") ? model : null;
}

const keys = (config: ConfigValues, pattern: RegExp): string[] => configEntries(config, pattern).map(([key]) => key);

const isSpice = (text: string): boolean => parseProperties(text, "host").get("host") === "spice";

/** Raw lines are one text, as `key: value`; Proxmox VE drops them on the target without a word. */
const rawKeys = (lines: string | null): string[] =>
  lines === null ? [] : lines.split("\n").map((line) => line.split(": ", 1)[0] ?? "");
