// Reserves the room that a move takes on the target's node, until the target's inventory counts the guest.
import type { PoolClient } from "pg";
import type { FrozenMigration } from "./migrationInput.js";

/** The guest's RAM is promised once, with the first of its storages; a guest without disks takes RAM alone. */
const PROMISE = `
  insert into capacity_reservation (job_id, node_id, storage, memory_mb, disk_bytes)
  select $1, $2, s.name, case when s.place = 1 then $3::int else 0 end, s.bytes
  from unnest($4::text[], $5::bigint[]) with ordinality s (name, bytes, place)`;

/** Repeating it is an error: a job's promises end with it. */
export async function promiseRoom(
  client: PoolClient,
  jobId: number,
  { target, room: { memoryMb, storages } }: Pick<FrozenMigration, "target" | "room">,
): Promise<void> {
  const rooms = storages.length > 0 ? storages : [{ name: "", bytes: 0 }];
  const values = [jobId, target.nodeId, memoryMb, rooms.map(({ name }) => name), rooms.map(({ bytes }) => bytes)];
  await client.query(PROMISE, values);
}
