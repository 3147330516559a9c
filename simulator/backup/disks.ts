// Says which disks of a guest a backup takes in.
import { formatSize } from "../parameters/sizes.js";
import { mountKind, mountPointsOf } from "../lxc/mountPoints.js";
import type { Platform } from "../platform.js";
import { drivesOf, isCdrom } from "../qemu/drives.js";
import type { Archive, Guest } from "../state/guest.js";
import { findVolume } from "../storage/volumes.js";

/** A disk, and whether it is saved. */
export type SavedDisk = Archive["disks"][number] & { volid: string; included: boolean };

/** All disks with a volume. A VM's are saved unless told not to, a container's mount points only when told to. */
export function disksOf(platform: Platform, guest: Guest): SavedDisk[] {
  return entries(platform, guest).flatMap(({ key, volid, included }) => {
    const volume = findVolume(platform, volid, guest.node);
    if (volume === null) return [];
    const { size: bytes, used, format, storage, hasSystem } = volume;
    return [{ key, volid, included, bytes, used, format, storage, hasSystem }];
  });
}

function entries(platform: Platform, guest: Guest): { key: string; volid: string; included: boolean }[] {
  if (guest.type === "qemu")
    return drivesOf(platform.release, guest.config)
      .filter(([, drive]) => !isCdrom(drive))
      .map(([key, drive]) => ({ key, volid: drive.file, included: drive.backup !== "0" }));
  return mountPointsOf(platform.release, guest.config)
    .filter(([, mountPoint]) => mountKind(mountPoint) === "volume")
    .map(([key, mountPoint]) => ({
      key,
      volid: mountPoint.volume,
      included: key === "rootfs" || mountPoint.backup === "1",
    }));
}

/** What the log says of a disk. */
export function diskLine(guest: Guest, { key, volid, bytes, included }: SavedDisk): string {
  if (guest.type === "qemu")
    return included
      ? `INFO: include disk '${key}' '${volid}' ${formatSize(bytes)}`
      : `INFO: exclude disk '${key}' '${volid}' (backup=no)`;
  const place = key === "rootfs" ? "/" : (/(?:^|,)mp=([^,]+)/.exec(guest.config[key] ?? "")?.[1] ?? "");
  return included
    ? `INFO: including mount point ${key} ('${place}') in backup`
    : `INFO: excluding volume mount point ${key} ('${place}') from backup (disabled)`;
}
