// Reserves the room that a move takes on the target's node, until the target's inventory counts the guest.
import type { PoolClient } from "pg";
import type { Clock } from "../concurrency/clock.js";
import { missingRoom, type MoveRoom } from "../core/migration/room.js";
import { DroverError } from "../errors/errors.js";
import * as capacity from "../store/capacity.js";
import { loadSnapshot } from "../placement/placementSnapshot.js";
import type { FrozenMigration } from "../job/migrationInput.js";

/** A move that is being recorded. */
interface RoomOfMove extends Pick<FrozenMigration, "target" | "room"> {
  readonly jobId: number;
}

/**
 * Checks and reserves in one: the caller holds the target host's reservation lock, so that moves which start at the same time see
 * each other's room. Repeating it is an error: what a job has reserved ends with it.
 * @throws DroverError conflict (`NOT_ENOUGH_MEMORY`, `NOT_ENOUGH_STORAGE`) that says how much is needed and how much is free
 */
export async function reserveRoom(
  client: PoolClient,
  clock: Clock,
  { jobId, target, room }: RoomOfMove,
): Promise<void> {
  await requireRoom(client, clock, { target, room });
  await capacity.reserve(client, { jobId, nodeId: target.nodeId, ...room });
}

async function requireRoom(
  client: PoolClient,
  clock: Clock,
  { target, room }: { readonly target: FrozenMigration["target"]; readonly room: MoveRoom },
): Promise<void> {
  const { snapshot } = await loadSnapshot(client, clock, { scope: [target.hostId], node: target.node });
  const missing = missingRoom(snapshot.nodes[0], room);
  if (missing !== null) throw new DroverError("conflict", missing.message, { reason: missing.code });
}
