// A guest's disks, drives and mount points.
import { MIB } from "../units.js";

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
  /** Null where nothing tells the size: never 0, which no disk has. */
  readonly bytes: number | null;
}

/** Drives that the platform makes itself, and never larger than this: their size need not be told. */
const MOST_BYTES: Partial<Record<DiskKind, number>> = {
  [DiskKind.CLOUD_INIT]: 4 * MIB,
  [DiskKind.EFI]: 64 * MIB,
  [DiskKind.TPM]: 4 * MIB,
};

/** @returns the bytes that a drive may take; null: not known. */
export const bytesOf = ({ bytes, kind }: Disk): number | null => bytes ?? MOST_BYTES[kind] ?? null;

/** @returns the bytes of the drives whose size is known: what all of them take at least. */
export const knownBytes = (disks: readonly Disk[]): number =>
  disks.reduce((sum, disk) => sum + (bytesOf(disk) ?? 0), 0);

/** @returns the keys of the drives whose size is not known. */
export const unsizedKeys = (disks: readonly Disk[]): string[] =>
  disks.flatMap((disk) => (bytesOf(disk) === null ? [disk.key] : []));

/** @returns the guest's data disks: those that `disk_gb` of a guest record counts. */
export const dataDisks = (disks: readonly Disk[]): Disk[] => disks.filter(({ kind }) => kind === DiskKind.DATA);

/** How much of a guest's data disks is the system, and how much they have in all. */
interface DataSizes {
  /** Of all data disks whose size is known. */
  readonly bytes: number;
  /** Of the system disk; null: there is none, or nothing tells its size. */
  readonly systemBytes: number | null;
  /** Keys of the data disks whose size nothing tells. */
  readonly unsized: readonly string[];
}

/** @param systemDisk the one that the platform's driver has found */
export function dataSizes(disks: readonly Disk[], systemDisk: Pick<Disk, "key"> | null): DataSizes {
  const data = dataDisks(disks);
  return {
    bytes: knownBytes(data),
    systemBytes: data.find(({ key }) => key === systemDisk?.key)?.bytes ?? null,
    unsized: unsizedKeys(data),
  };
}

/** @returns the storages that the guest's drives lie on, CD images included, each once, by name. */
export const attachedStorages = (disks: readonly Disk[]): string[] =>
  [
    ...new Set(disks.flatMap(({ kind, storage }) => (kind === DiskKind.UNUSED || storage === null ? [] : [storage]))),
  ].toSorted((left, right) => left.localeCompare(right, "en"));
