// Decides whether the target's node has the room that a move takes, and says what is missing.
import { freeBytes, freeMemoryMb, isRoomKnown } from "../placement/capacity.js";
import type { NodeState, StorageState } from "../placement/snapshot.js";
import { gib, gibNeeded, mib } from "../units.js";
import { storageShortfalls, type Shortfall } from "./mapping.js";

/** What the target has to keep free. */
export interface MoveRoom {
  /** MiB of RAM; 0: the guest is stopped. */
  readonly memoryMb: number;
  readonly storages: readonly { readonly name: string; readonly bytes: number }[];
}

interface MissingRoom {
  /** The code of the plan's check that says the same. */
  readonly code: "NOT_ENOUGH_MEMORY" | "NOT_ENOUGH_STORAGE";
  readonly message: string;
}

/** @param node undefined: it is no longer known, and has no room at all. @returns what is missing first; null: nothing */
export function missingRoom(node: NodeState | undefined, { memoryMb, storages }: MoveRoom): MissingRoom | null {
  if (memoryMb > 0 && node?.loadKnown === false) {
    return { code: "NOT_ENOUGH_MEMORY", message: describeUnknownMemory(node.name) };
  }
  const free = node === undefined ? 0 : freeMemoryMb(node);
  if (memoryMb > 0 && memoryMb > free) {
    return { code: "NOT_ENOUGH_MEMORY", message: describeMemory(memoryMb, node?.name ?? "the target", free) };
  }
  const needed = new Map(storages.map(({ name, bytes }) => [name, bytes]));
  const short = storageShortfalls(
    needed,
    storages.map(({ name }) => ({ name, freeBytes: freeOn(node, name) })),
  );
  return short.length === 0 ? null : { code: "NOT_ENOUGH_STORAGE", message: describeShortfalls(short) };
}

function freeOn(node: NodeState | undefined, name: string): number | null {
  const storage = node?.storages.find((one) => one.name === name);
  return storage === undefined ? 0 : knownFreeBytes(storage);
}

/** @returns bytes that a new disk may take; null: not known. */
export const knownFreeBytes = (storage: StorageState): number | null =>
  isRoomKnown(storage) ? freeBytes(storage) : null;

export const describeUnknownMemory = (node: string): string =>
  `how much RAM ${node} has free is not known: its host does not tell`;

/** @param needed MiB. @param free MiB */
export const describeMemory = (needed: number, node: string, free: number): string =>
  `the guest needs ${mib(needed)} of RAM, ${node} has ${mib(free)} free`;

/** @returns each storage with what it has and what it needs. */
export const describeShortfalls = (shortfalls: readonly Shortfall[]): string =>
  shortfalls
    .map(({ storage, neededBytes, freeBytes: free }) =>
      free === null
        ? `how much room ${storage} has is not known, ${gibNeeded(neededBytes)} are needed`
        : `${storage} has ${gib(free)} free of ${gibNeeded(neededBytes)} needed`,
    )
    .join(", ");
