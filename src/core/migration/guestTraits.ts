// Collects what of a guest matters for moving it to another host: from its configuration and from what is known of it.
import { GuestType } from "../enums.js";
import { configEntries, configText, isFlagOn, type GuestConfig } from "../inventory/config.js";
import { DiskKind, guestDisks, isLinkedClone, type Disk } from "../inventory/disk.js";
import { parseProperties } from "../inventory/propertyString.js";

/** What is known of a guest beside its configuration. */
interface GuestCircumstances {
  readonly safetyCopy: boolean;
  /** Names of its snapshots, without Proxmox VE's own `current`. */
  readonly snapshots: readonly string[];
  /** How many addresses of IP zones it has. */
  readonly panelAddresses: number;
  /** The job or platform task that works on it; null when none does. */
  readonly busyWith: string | null;
  readonly haManaged: boolean;
  readonly replicated: boolean;
  /** Configuration keys whose change waits for a restart. */
  readonly pendingKeys: readonly string[];
  /** Keys of disks that are attached at the next restart only. */
  readonly pendingDisks: readonly string[];
}

/** Lists name configuration keys or volumes; an empty one is no obstacle. */
export interface GuestTraits extends GuestCircumstances {
  readonly template: boolean;
  readonly lock: string | null;
  readonly pciDevices: readonly string[];
  readonly usbDevices: readonly string[];
  /** ISO files in CD drives, or the node's own drive. */
  readonly mountedMedia: readonly string[];
  readonly containerDevices: readonly string[];
  readonly rawLxcKeys: readonly string[];
  /** Paths of the node used as disks or mount points. */
  readonly hostPaths: readonly string[];
  readonly rootOnlySettings: readonly string[];
  readonly linkedClones: readonly string[];
  /** CPU model that the source host defines itself; null: one that every host knows. */
  readonly customCpu: string | null;
  /** Files of the source host that cloud-init reads whenever the machine starts. */
  readonly cloudInitFiles: readonly string[];
}

export const NO_CIRCUMSTANCES: GuestCircumstances = {
  safetyCopy: false,
  snapshots: [],
  panelAddresses: 0,
  busyWith: null,
  haManaged: false,
  replicated: false,
  pendingKeys: [],
  pendingDisks: [],
};

/** Nothing that speaks against a move. */
export const NO_TRAITS: GuestTraits = {
  ...NO_CIRCUMSTANCES,
  template: false,
  lock: null,
  pciDevices: [],
  usbDevices: [],
  mountedMedia: [],
  containerDevices: [],
  rawLxcKeys: [],
  hostPaths: [],
  rootOnlySettings: [],
  linkedClones: [],
  customCpu: null,
  cloudInitFiles: [],
};

/** Keys that only root@pam may set, which no API token is, whatever its privileges. */
const ROOT_ONLY_KEYS = {
  [GuestType.QEMU]:
    /^(?:args|hookscript|affinity|arch|amd-sev|intel-tdx|hugepages|keephugepages|ivshmem|spice_enhancements|parallel\d+|virtiofs\d+)$/,
  [GuestType.LXC]: /^hookscript$/,
} satisfies Record<GuestType, RegExp>;

/** @returns the traits of a guest with this configuration. */
export function guestTraits(type: GuestType, config: GuestConfig, circumstances: GuestCircumstances): GuestTraits {
  const disks = guestDisks(type, config);
  const volumes = (isWanted: (disk: Disk) => boolean) => disks.filter(isWanted).map(({ volume }) => volume);
  return {
    ...circumstances,
    template: isFlagOn(config, "template"),
    lock: configText(config, "lock"),
    pciDevices: keys(config, /^hostpci\d*$/),
    usbDevices: configEntries(config, /^(?:usb\d+|hostusb)$/).flatMap(([key, text]) => (isSpice(text) ? [] : [key])),
    mountedMedia: volumes(({ kind, volume }) => kind === DiskKind.CDROM && volume !== "none"),
    containerDevices: type === GuestType.LXC ? keys(config, /^dev\d+$/) : [],
    rawLxcKeys: rawKeys(config["lxc"]),
    hostPaths: volumes(({ kind }) => kind === DiskKind.HOST_PATH),
    rootOnlySettings: rootOnlySettings(type, config),
    linkedClones: volumes(isLinkedClone),
    customCpu: type === GuestType.QEMU ? customCpu(config) : null,
    cloudInitFiles: [...parseProperties(configText(config, "cicustom") ?? "").values()],
  };
}

function rootOnlySettings(type: GuestType, config: GuestConfig): string[] {
  const plain = keys(config, ROOT_ONLY_KEYS[type]);
  return [...plain, ...(type === GuestType.QEMU ? serialDevices(config) : rootOnlyFeatures(config))];
}

/** A serial port that is a socket belongs to nobody's hardware. */
const serialDevices = (config: GuestConfig): string[] =>
  configEntries(config, /^serial\d+$/).flatMap(([key, text]) => (text === "socket" ? [] : [key]));

/** Of a container's features an ordinary user may set nesting only, and of a privileged container's none. */
function rootOnlyFeatures(config: GuestConfig): string[] {
  const features = [...parseProperties(configText(config, "features") ?? "").keys()];
  const isPrivileged = !isFlagOn(config, "unprivileged");
  return features.filter((feature) => isPrivileged || feature !== "nesting").map((feature) => `features: ${feature}`);
}

function customCpu(config: GuestConfig): string | null {
  const model = parseProperties(configText(config, "cpu") ?? "", "cputype").get("cputype") ?? "";
  return model.startsWith("custom-") ? model : null;
}

const keys = (config: GuestConfig, pattern: RegExp): string[] => configEntries(config, pattern).map(([key]) => key);

const isSpice = (text: string): boolean => parseProperties(text, "host").get("host") === "spice";

/** Raw lines come as pairs of key and value; Proxmox VE drops them on the target without a word. */
const rawKeys = (lines: unknown): string[] =>
  Array.isArray(lines) ? lines.map((line: unknown) => String(Array.isArray(line) ? line[0] : line)) : [];
