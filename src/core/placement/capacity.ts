// Counts the free room of nodes and storages, less what was reserved for queued jobs.
import { GuestType } from "../enums.js";
import { GIB } from "../units.js";
import type { NodeState, PlacementRequest, StorageState } from "./snapshot.js";

/** The content type that a storage must have for the disks of a guest. */
export const DISK_CONTENT = {
  [GuestType.QEMU]: "images",
  [GuestType.LXC]: "rootdir",
} as const satisfies Record<GuestType, string>;

/** @returns MiB of RAM that a new guest may take; negative when more was reserved than there is. */
export const freeMemoryMb = (node: NodeState): number => node.memoryMb - node.memoryUsedMb - node.memoryReservedMb;

/** @returns bytes that a new disk may take; negative when more was reserved than there is. */
export const freeBytes = (storage: StorageState): number => storage.freeBytes - storage.reservedBytes;

/** @returns bytes of the requested disk. */
export const requestedBytes = ({ diskGb }: Pick<PlacementRequest, "diskGb">): number => diskGb * GIB;

/**
 * The storage that a guest of this type goes to: of the active ones for its disks the one with most free space, of equals
 * the first by name. When that one has no room, none has.
 */
export function roomiestStorage(node: NodeState, type: GuestType): StorageState | null {
  let roomiest: StorageState | null = null;
  for (const storage of node.storages) {
    if (!holdsDisks(storage, type)) continue;
    if (roomiest === null || isRoomier(storage, roomiest)) roomiest = storage;
  }
  return roomiest;
}

/** @returns the storage of the node that the guest's disk goes to; null when it has none for guests of this type. */
export function storageFor(node: NodeState, { type, storage: name }: PlacementRequest): StorageState | null {
  if (name === undefined) return roomiestStorage(node, type);
  const named = node.storages.find((storage) => storage.name === name && holdsDisks(storage, type));
  return named ?? roomiestStorage(node, type);
}

/** Room that is not known is not counted on. */
const holdsDisks = (storage: StorageState, type: GuestType): boolean =>
  takesDisks(storage, type) && isRoomKnown(storage);

/** @returns whether disks of such guests can be on the storage. */
export const takesDisks = ({ active, content }: StorageState, type: GuestType): boolean =>
  active && content.includes(DISK_CONTENT[type]);

/** @returns whether its host tells how much room it has. */
export const isRoomKnown = ({ roomKnown = true }: StorageState): boolean => roomKnown;

function isRoomier(storage: StorageState, than: StorageState): boolean {
  const difference = freeBytes(storage) - freeBytes(than);
  return difference > 0 || (difference === 0 && storage.name < than.name);
}
