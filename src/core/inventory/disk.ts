// Reads the disks, drives and mount points of a guest's configuration.
import { GuestType } from "../enums.js";
import { configEntries, type GuestConfig } from "./config.js";
import { parseProperties } from "./propertyString.js";
import { parseSize } from "./size.js";

/** What a drive entry is for. */
export const DiskKind = {
  /** A disk or mount point with the guest's data. */
  DATA: "data",
  /** A CD drive: an ISO file, the node's own drive (`cdrom`) or nothing (`none`). */
  CDROM: "cdrom",
  CLOUD_INIT: "cloud_init",
  /** UEFI variables. */
  EFI: "efi",
  /** TPM state. */
  TPM: "tpm",
  /** Belongs to the guest, but is attached nowhere. */
  UNUSED: "unused",
  /** A path of the node instead of a volume: a bind mount or a block device. */
  HOST_PATH: "host_path",
} as const;
export type DiskKind = (typeof DiskKind)[keyof typeof DiskKind];

/** One drive entry. */
export interface Disk {
  /** `scsi0`, `rootfs`, `mp1`, … */
  readonly key: string;
  readonly kind: DiskKind;
  /** The volume id or path as it is written, such as `local-lvm:vm-100-disk-0`. */
  readonly volume: string;
  /** The storage that holds the volume; null for a path, `none` and `cdrom`. */
  readonly storage: string | null;
  /** Null where the configuration states no size. */
  readonly bytes: number | null;
}

const DRIVE_KEYS = {
  [GuestType.QEMU]: /^(?:ide|sata|scsi|virtio|efidisk|tpmstate|unused)\d+$/,
  [GuestType.LXC]: /^(?:rootfs|mp\d+|unused\d+)$/,
} satisfies Record<GuestType, RegExp>;

const CLOUD_INIT_VOLUME = /[:/](?:vm-\d+-)?cloudinit(?:\.\w+)?$/;
const LINKED_CLONE_VOLUME = /[:/]base(?:vol)?-\d+-[^/]+\/(?:\d+\/)?(?:vm|subvol)-\d+-/;

/** @returns every drive entry of a guest, in the order of their keys. */
export function guestDisks(type: GuestType, config: GuestConfig): Disk[] {
  return configEntries(config, DRIVE_KEYS[type]).map(([key, text]) => parseDisk(type, key, text));
}

/** @returns the bytes of the guest's data disks together: what `disk_gb` of a guest record states. */
export const dataBytes = (disks: readonly Disk[]): number =>
  disks.reduce((sum, { kind, bytes }) => (kind === DiskKind.DATA ? sum + (bytes ?? 0) : sum), 0);

/** @returns the storages that the guest's drives lie on, CD images included, each once, by name. */
export const attachedStorages = (disks: readonly Disk[]): string[] =>
  [
    ...new Set(disks.flatMap(({ kind, storage }) => (kind === DiskKind.UNUSED || storage === null ? [] : [storage]))),
  ].toSorted((left, right) => left.localeCompare(right, "en"));

/** @returns whether the volume shares its beginning with the template that it was cloned from. */
export const isLinkedClone = ({ volume }: Disk): boolean => LINKED_CLONE_VOLUME.test(volume);

function parseDisk(type: GuestType, key: string, text: string): Disk {
  const properties = parseProperties(text, type === GuestType.QEMU ? "file" : "volume");
  const volume = properties.get("file") ?? properties.get("volume") ?? "";
  const isVolume = !volume.startsWith("/") && volume.includes(":");
  return {
    key,
    kind: diskKind(key, volume, properties.get("media")),
    volume,
    storage: isVolume ? volume.slice(0, volume.indexOf(":")) : null,
    bytes: parseSize(properties.get("size") ?? ""),
  };
}

function diskKind(key: string, volume: string, media: string | undefined): DiskKind {
  if (key.startsWith("unused")) return DiskKind.UNUSED;
  if (key.startsWith("efidisk")) return DiskKind.EFI;
  if (key.startsWith("tpmstate")) return DiskKind.TPM;
  if (CLOUD_INIT_VOLUME.test(volume)) return DiskKind.CLOUD_INIT;
  if (media === "cdrom" || volume === "none" || volume === "cdrom") return DiskKind.CDROM;
  return volume.startsWith("/") ? DiskKind.HOST_PATH : DiskKind.DATA;
}
