// What a job holds until it ends: locks, VMIDs, capacity and addresses; taken together, and given back together.
import * as locks from "./lock.js";
import { rowsOf, tables, type Connection } from "./tables.js";
import * as vmids from "./vmid.js";

/** What a move takes before anything else: the locks of both ends, and the VMID on the target. */
interface MoveEnds {
  readonly jobId: number;
  /** Source first, as `locks.takeForJob` asks for. */
  readonly keys: readonly string[];
  readonly hostId: number;
  readonly vmid: number;
}

/**
 * The caller holds the guest's row and the reservation lock of the target's host.
 * @returns the keys that the move got, as `locks.takeForJob`
 * @throws the driver's unique violation of `vmid_reservation_pkey` when another job has the VMID
 */
export async function takeForMove(
  connection: Connection,
  { jobId, keys, hostId, vmid }: MoveEnds,
): Promise<ReadonlySet<string>> {
  const statement = tables
    .with("reserved", () => vmids.insertion({ hostId, vmid, jobId }))
    .with("locked", () => locks.insertion(jobId, keys))
    .selectFrom("locked")
    .select("key");
  return new Set((await rowsOf(connection, statement)).map(({ key }) => key));
}
