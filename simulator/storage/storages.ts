// Looks storages up, tells whether a node has them, and counts their space.
import { failure } from "../api.js";
import type { PlatformState } from "../state/platform.js";
import type { StorageDefinition, Volume } from "../state/storage.js";

/** @throws ApiError 500 when there is none of this name */
export function storageNamed(state: PlatformState, name: string): StorageDefinition {
  const storage = state.storages.get(name);
  if (storage === undefined) throw failure(`storage '${name}' does not exist`);
  return storage;
}

/** @throws ApiError 500 when it is missing, disabled or not on this node */
export function enabledStorage(state: PlatformState, name: string, node: string): StorageDefinition {
  const storage = storageNamed(state, name);
  if (!storage.enabled) throw failure(`storage '${name}' is disabled`);
  if (!isOnNode(storage, node)) throw failure(`storage '${name}' is not available on node '${node}'`);
  return storage;
}

export function isOnNode(storage: StorageDefinition, node: string): boolean {
  return storage.nodes === null || storage.nodes.includes(node);
}

/** Volumes of a storage as one node sees them. */
export function volumesOn(state: PlatformState, storage: StorageDefinition, node: string): Volume[] {
  return state.volumes.filter(
    (volume) => volume.storage === storage.name && (storage.shared || volume.node === null || volume.node === node),
  );
}

/** Space in bytes. */
interface Space {
  total: number;
  used: number;
  avail: number;
}

export function spaceOf(state: PlatformState, storage: StorageDefinition, node: string): Space {
  const onVolumes = volumesOn(state, storage, node).reduce((sum, volume) => sum + volume.used, 0);
  const used = Math.min(storage.totalBytes, storage.foreignBytes + onVolumes);
  return { total: storage.totalBytes, used, avail: storage.totalBytes - used };
}

/** Whether a volume can hold so many bytes: thin ones find out only when they are written. */
export function canHold(
  state: PlatformState,
  volume: Volume,
  { node, bytes }: { node: string; bytes: number },
): boolean {
  const { avail } = spaceOf(state, storageNamed(state, volume.storage), node);
  return bytes - volume.used <= avail;
}
