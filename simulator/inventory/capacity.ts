// Reads what a guest of either type is granted: processors, memory, disk.
import { containerMemoryBytes, containerProcessors, rootDiskBytes } from "../lxc/sizing.js";
import { bootDiskBytes, memoryBytes, processorCount } from "../qemu/sizing.js";
import type { Guest } from "../state/guest.js";
import type { Release } from "../version.js";

export function guestProcessors(guest: Guest): number {
  return guest.type === "qemu" ? processorCount(guest.config) : containerProcessors(guest.config);
}

export function guestMemoryBytes(guest: Guest): number {
  return guest.type === "qemu" ? memoryBytes(guest.config) : containerMemoryBytes(guest.config);
}

export function guestDiskBytes(release: Release, guest: Guest): number {
  return guest.type === "qemu" ? bootDiskBytes(release, guest.config) : rootDiskBytes(guest.config);
}
