// Reads how much memory, how many processors and how much disk a container's configuration grants.
import { parseSize } from "../parameters/sizes.js";
import type { ConfigValues } from "../state/guest.js";

export function containerMemoryBytes(config: ConfigValues): number {
  return Number(config.memory ?? 512) * 1024 ** 2;
}

/** All processors of the node when no number is set; 1 stands for that in lists. */
export function containerProcessors(config: ConfigValues): number {
  return Number(config.cores ?? (Number(config.cpulimit ?? 0) || 1));
}

/** Size of the root volume. */
export function rootDiskBytes(config: ConfigValues): number {
  return parseSize(/(?:^|,)size=([^,]+)/.exec(config.rootfs ?? "")?.[1] ?? "") ?? 0;
}
