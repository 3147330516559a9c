// Keeps a guest's snapshots: adding, removing, and the list that the API shows.
import { failure } from "../api.js";
import { digestOf } from "../guests/digest.js";
import type { Guest, Snapshot, SnapshotMemory } from "../state/guest.js";

/** @throws ApiError 500 when there is none of this name */
export function snapshotOf(guest: Guest, name: string): Snapshot {
  const snapshot = guest.snapshots.get(name);
  if (snapshot === undefined) throw failure(`snapshot '${name}' does not exist`);
  return snapshot;
}

/** Snapshots the configuration in force. */
export function addSnapshot(
  guest: Guest,
  made: { name: string; description: string; snaptime: number; memory: SnapshotMemory | null },
): void {
  const { parent, lock: _lock, description: _own, ...rest } = guest.config;
  const config = Object.fromEntries(Object.entries(rest).filter(([key]) => !/^unused\d+$/.test(key)));
  const { name, ...details } = made;
  guest.snapshots.set(name, { config, parent: parent ?? null, snapstate: null, ...details });
  guest.config.parent = name;
}

/** Children of a removed snapshot are handed to its parent. @throws ApiError 500 when there is none of this name */
export function removeSnapshot(guest: Guest, name: string): void {
  const removed = snapshotOf(guest, name);
  guest.snapshots.delete(name);
  for (const snapshot of guest.snapshots.values()) if (snapshot.parent === name) snapshot.parent = removed.parent;
  if (guest.config.parent !== name) return;
  if (removed.parent === null) delete guest.config.parent;
  else guest.config.parent = removed.parent;
}

/** What a snapshot's configuration shows beside the former values. */
export function shownColumns({ snaptime, description, parent, snapstate, memory }: Snapshot): Record<string, unknown> {
  return {
    snaptime,
    ...(description === "" ? {} : { description }),
    ...(parent === null ? {} : { parent }),
    ...(snapstate === null ? {} : { snapstate }),
    ...(memory === null ? {} : { vmstate: memory.volume }),
  };
}

/** All snapshots and, always, `current`. */
export function snapshotRows(guest: Guest): Record<string, unknown>[] {
  const rows = [...guest.snapshots].map(([name, { snaptime, description, parent, snapstate, memory }]) => ({
    name,
    snaptime,
    description,
    ...(guest.type === "qemu" ? { vmstate: memory === null ? 0 : 1 } : {}),
    ...(parent === null ? {} : { parent }),
    ...(snapstate === null ? {} : { snapstate }),
  }));
  const { parent } = guest.config;
  const current = {
    name: "current",
    description: "You are here!",
    running: guest.runtime === null ? 0 : 1,
    digest: digestOf(guest),
    ...(parent === undefined ? {} : { parent }),
  };
  return [...rows, current];
}
