// A guest's disks, drives and mount points.

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

/** @returns the bytes of the guest's data disks together: what `disk_gb` of a guest record states. */
export const dataBytes = (disks: readonly Disk[]): number =>
  disks.reduce((sum, { kind, bytes }) => (kind === DiskKind.DATA ? sum + (bytes ?? 0) : sum), 0);

/** @returns the storages that the guest's drives lie on, CD images included, each once, by name. */
export const attachedStorages = (disks: readonly Disk[]): string[] =>
  [
    ...new Set(disks.flatMap(({ kind, storage }) => (kind === DiskKind.UNUSED || storage === null ? [] : [storage]))),
  ].toSorted((left, right) => left.localeCompare(right, "en"));
