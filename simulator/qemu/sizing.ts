// Reads how much memory, how many processors and how much disk a VM's configuration grants.
import { parseSize } from "../parameters/sizes.js";
import type { ConfigValues } from "../state/guest.js";
import type { Release } from "../version.js";
import { bootDisk, parseDrive } from "./drives.js";

const defaultMemoryMib = 512;

/** `2048` or `current=2048`, in bytes. */
export function memoryBytes(config: ConfigValues): number {
  const mib = /(?:^|current=)(\d+)/.exec(config.memory ?? "")?.[1];
  return Number(mib ?? defaultMemoryMib) * 1024 ** 2;
}

/** Processors of the machine: sockets times cores. */
export function processorCount(config: ConfigValues): number {
  return Number(config.sockets ?? 1) * Number(config.cores ?? 1);
}

/** Size of the disk that the VM boots from, 0 without one. */
export function bootDiskBytes(release: Release, config: ConfigValues): number {
  const slot = bootDisk(release, config);
  if (slot === null) return 0;
  return parseSize(parseDrive(release, slot, config[slot] ?? "").size ?? "") ?? 0;
}
