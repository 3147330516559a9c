// Keeps a guest's snapshots: adding, removing, and the list that the API shows.
import { failure } from "../api.js";
import type { Guest } from "../state/guest.js";
import { digestOf } from "./config.js";

/** Snapshots the configuration in force. */
export function addSnapshot(
  guest: Guest,
  made: { name: string; description: string; snaptime: number; vmstate: boolean },
): void {
  const { parent, ...config } = guest.config;
  const { name, ...details } = made;
  guest.snapshots.set(name, { config, parent: parent ?? null, ...details });
  guest.config.parent = name;
}

/** Children of a removed snapshot are handed to its parent. @throws ApiError 500 when there is none of this name */
export function removeSnapshot(guest: Guest, name: string): void {
  const removed = guest.snapshots.get(name);
  if (removed === undefined) throw failure(`snapshot '${name}' does not exist`);
  guest.snapshots.delete(name);
  for (const snapshot of guest.snapshots.values()) if (snapshot.parent === name) snapshot.parent = removed.parent;
  if (guest.config.parent !== name) return;
  if (removed.parent === null) delete guest.config.parent;
  else guest.config.parent = removed.parent;
}

/** All snapshots and, always, `current`. */
export function snapshotRows(guest: Guest): Record<string, unknown>[] {
  const rows = [...guest.snapshots].map(([name, snapshot]) => ({
    name,
    snaptime: snapshot.snaptime,
    description: snapshot.description,
    ...(guest.type === "qemu" ? { vmstate: snapshot.vmstate ? 1 : 0 } : {}),
    ...(snapshot.parent === null ? {} : { parent: snapshot.parent }),
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
