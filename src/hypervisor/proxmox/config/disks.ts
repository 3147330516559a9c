// Reads the disks, drives and mount points of a guest's configuration.
import { GuestType } from "../../../core/enums.js";
import { configEntries, configText, type ConfigValues } from "./values.js";
import { DiskKind, type Disk } from "../../../core/inventory/disk.js";
import { parseProperties } from "./propertyString.js";
import { parseSize } from "./size.js";

const DRIVE_KEYS = {
  [GuestType.QEMU]: /^(?:ide|sata|scsi|virtio|efidisk|tpmstate|unused)\d+$/,
  [GuestType.LXC]: /^(?:rootfs|mp\d+|unused\d+)$/,
} satisfies Record<GuestType, RegExp>;

const CLOUD_INIT_VOLUME = /[:/](?:vm-\d+-)?cloudinit(?:\.\w+)?$/;
const LINKED_CLONE_VOLUME = /[:/]base(?:vol)?-\d+-[^/]+\/(?:\d+\/)?(?:vm|subvol)-\d+-/;

/** @returns every drive entry of a guest, in the order of their keys. */
export function guestDisks(type: GuestType, config: ConfigValues): Disk[] {
  return configEntries(config, DRIVE_KEYS[type]).map(([key, text]) => parseDisk(type, key, text));
}

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
    // A container's directory without a limit has the size 0.
    bytes: parseSize(properties.get("size") ?? "") || null,
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

const OWN_DISK = /[:/]vm-(\d+)-disk-\d+(?:\.\w+)?$/;

/** @returns whether a volume is a disk of this guest by its name, and no medium that somebody put in. */
export const isOwnDisk = (volume: string, vmid: number): boolean => OWN_DISK.exec(volume)?.[1] === String(vmid);

/**
 * @returns the first disk of a machine's boot order (of old templates, the one boot disk that they name), else the first data disk; null
 *   when there is none.
 */
export function bootDisk(config: ConfigValues, disks: readonly Disk[]): Disk | null {
  const data = disks.filter(({ kind }) => kind === DiskKind.DATA);
  const order = /order=([^,]+)/.exec(configText(config, "boot") ?? "")?.[1]?.split(";");
  const keys = order ?? [configText(config, "bootdisk")];
  return keys.flatMap((key) => data.filter((disk) => disk.key === key))[0] ?? data[0] ?? null;
}
