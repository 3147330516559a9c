// What a node is like once a guest has left it, and once one has arrived.
import type { MovableGuest } from "../migration/movableGuest.js";
import type { NodeState, StorageState } from "../placement/snapshot.js";
import { GIB } from "../units.js";
import { loadOf, type Load } from "./load.js";

/** @returns the node once the guest has left. Its disks stay: the safety copy keeps them. */
export const withoutGuest = (node: NodeState, guest: MovableGuest): NodeState => ({
  ...node,
  memoryUsedMb: Math.max(0, node.memoryUsedMb - guest.memoryUsedMb),
  cpuAverage: node.cpuAverage === null ? null : Math.max(0, node.cpuAverage - cpuShare(node, guest)),
  guestCount: Math.max(0, node.guestCount - 1),
});

/** @returns the node once the guest has arrived, with its disk on one of the node's storages. */
export const withGuest = (node: NodeState, guest: MovableGuest, storage: StorageState): NodeState => ({
  ...withDisk(node, guest, storage),
  memoryUsedMb: node.memoryUsedMb + guest.memoryUsedMb,
  cpuAverage: node.cpuAverage === null ? null : node.cpuAverage + cpuShare(node, guest),
  guestCount: node.guestCount + 1,
});

/** @returns the node once the guest's disk is on the storage of this name, wherever on its host the guest runs. */
export const withDisk = (node: NodeState, { diskGb }: MovableGuest, { name }: StorageState): NodeState => ({
  ...node,
  storages: node.storages.map((one) => (one.name === name ? { ...one, freeBytes: one.freeBytes - diskGb * GIB } : one)),
});

/** @returns the load of the node once what is reserved on it is in use: soon, or by now and not seen yet. */
export const loadWithReservations = ({ memoryMb, memoryUsedMb, memoryReservedMb, cpuAverage }: NodeState): Load =>
  loadOf({ memoryMb, memoryUsedMb: memoryUsedMb + memoryReservedMb, cpuAverage });

/** @returns the same once the guest has arrived as well. */
export const loadWithGuest = (node: NodeState, guest: MovableGuest): Load => {
  const { memoryMb, memoryUsedMb, memoryReservedMb, cpuAverage } = node;
  return loadOf({
    memoryMb,
    memoryUsedMb: memoryUsedMb + memoryReservedMb + guest.memoryUsedMb,
    cpuAverage: cpuAverage === null ? null : cpuAverage + cpuShare(node, guest),
  });
};

/** @returns the share of the node's CPU that the guest keeps busy. */
export const cpuShare = ({ cores }: Pick<NodeState, "cores">, { coresUsed }: MovableGuest): number =>
  cores > 0 ? coresUsed / cores : 0;
