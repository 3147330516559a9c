// Reads what a guest of either type is granted: processors, memory, disk.
import { containerMemoryBytes, containerProcessors, rootDiskBytes } from "../lxc/sizing.js";
import { bootDiskBytes, memoryBytes, processorCount } from "../qemu/sizing.js";
import type { Guest } from "../state/guest.js";
import type { SimulatedNode } from "../state/node.js";
import type { Release } from "../version.js";

/** @param node whose processors a container has that sets no number */
export function guestProcessors(guest: Guest, node: Pick<SimulatedNode, "cpus"> | undefined): number {
  return guest.type === "qemu" ? processorCount(guest.config) : containerProcessors(guest.config, node);
}

export function guestMemoryBytes(guest: Guest): number {
  return guest.type === "qemu" ? memoryBytes(guest.config) : containerMemoryBytes(guest.config);
}

export function guestDiskBytes(release: Release, guest: Guest): number {
  return guest.type === "qemu" ? bootDiskBytes(release, guest.config) : rootDiskBytes(guest.config);
}
