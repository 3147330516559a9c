// Decides whether a VM would boot an operating system.
import type { Platform } from "../platform.js";
import type { Guest } from "../state/guest.js";
import { findVolume } from "../storage/volumes.js";
import { drivesOf, isCdrom } from "./drives.js";

/** True when one of the VM's disks carries an operating system. */
export function hasSystem(platform: Platform, guest: Guest): boolean {
  return drivesOf(platform.release, guest.config).some(
    ([, drive]) => !isCdrom(drive) && findVolume(platform, drive.file, guest.node)?.hasSystem === true,
  );
}
