// The most room that any target has: a guest that needs more fits nowhere, which spares looking at every node for it.
import { GuestType } from "../enums.js";
import { freeBytes, freeMemoryMb, requestedBytes, roomiestStorage } from "../placement/capacity.js";
import type { NodeState } from "../placement/snapshot.js";
import { placeFor, type MovableGuest } from "../migration/movableGuest.js";
import type { Thresholds } from "./load.js";

/** Each figure is the greatest of its kind; no single node need have them all. Targets only fill up, so it stays true. */
export interface Headroom {
  /** MiB of RAM, and cores, that may be used before a threshold is reached. */
  readonly memoryMb: number;
  readonly cores: number;
  /** MiB of RAM free for the configured size. */
  readonly freeMemoryMb: number;
  readonly diskBytes: Readonly<Record<GuestType, number>>;
}

/** @returns the greatest headroom among the nodes; minus infinity where there is no node. */
export function greatestHeadroom(nodes: readonly NodeState[], { ramPercent, cpuPercent }: Thresholds): Headroom {
  const greatest = (figure: (node: NodeState) => number): number =>
    nodes.reduce((most, node) => Math.max(most, figure(node)), -Infinity);
  return {
    memoryMb: greatest((node) => (node.memoryMb * ramPercent) / 100 - node.memoryUsedMb),
    cores: greatest((node) => node.cores * (cpuPercent / 100 - (node.cpuAverage ?? 0))),
    freeMemoryMb: greatest(freeMemoryMb),
    diskBytes: {
      [GuestType.QEMU]: greatest((node) => roomFor(node, GuestType.QEMU)),
      [GuestType.LXC]: greatest((node) => roomFor(node, GuestType.LXC)),
    },
  };
}

/** @returns whether the guest needs more than any node has; false does not yet mean that one has room. */
export const fitsNowhere = (guest: MovableGuest, headroom: Headroom): boolean =>
  guest.memoryUsedMb > headroom.memoryMb ||
  guest.coresUsed > headroom.cores ||
  guest.memoryMb > headroom.freeMemoryMb ||
  requestedBytes(placeFor(guest)) > headroom.diskBytes[guest.type];

function roomFor(node: NodeState, type: GuestType): number {
  const storage = roomiestStorage(node, type);
  return storage === null ? -Infinity : freeBytes(storage);
}
