// Reads how much memory, how many processors and how much disk a container's configuration grants.
import { parseSize } from "../parameters/sizes.js";
import type { ConfigValues } from "../state/guest.js";
import type { SimulatedNode } from "../state/node.js";

export function containerMemoryBytes(config: ConfigValues): number {
  return Number(config.memory ?? 512) * 1024 ** 2;
}

/** All processors of the node when neither a number nor a limit is set. */
export function containerProcessors(config: ConfigValues, node: Pick<SimulatedNode, "cpus"> | undefined): number {
  return Number(config.cores ?? 0) || Number(config.cpulimit ?? 0) || (node?.cpus ?? 1);
}

/** Size of the root volume. */
export function rootDiskBytes(config: ConfigValues): number {
  return parseSize(/(?:^|,)size=([^,]+)/.exec(config.rootfs ?? "")?.[1] ?? "") ?? 0;
}
