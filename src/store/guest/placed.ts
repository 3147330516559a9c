// Guests on record, where they are: looked up, and locked there, for what is to be done with them.
import { sql } from "kysely";
import type { GuestType } from "../../core/enums.js";
import { guestLock } from "../../core/guest/lock.js";
import * as locks from "../lock.js";
import * as forwards from "../portForward.js";
import { exists, rowOf, rowsOf, tables, type Connection } from "../tables.js";

/** A guest with its place, and with what it takes there. */
export interface PlacedGuest {
  readonly id: number;
  readonly type: GuestType;
  readonly vmid: number;
  readonly node: string;
  readonly memoryMb: number;
  readonly diskBytes: number;
  /** As the inventory stores it; null: its configuration was never read. */
  readonly identity: unknown;
}

const placed = tables
  .selectFrom("guest as g")
  .innerJoin("node as n", "n.id", "g.node_id")
  .where("g.gone_at", "is", null);

/** A guest that is there. @returns null when its record is gone, or says that it is */
export const find = (connection: Connection, id: number | null): Promise<PlacedGuest | null> =>
  rowOf(
    connection,
    placed
      .select(["g.id", "g.type", "g.vmid", "n.name as node", "g.memory_mb as memoryMb", "g.identity"])
      .select(sql<number>`g.disk_bytes::float8`.as("diskBytes"))
      .where("g.id", "=", id),
  );

/** A guest that may move, with its place. */
export interface Moving extends Omit<PlacedGuest, "memoryMb" | "diskBytes"> {
  readonly hostId: number;
  readonly nodeId: number;
  readonly name: string;
  readonly safetyCopy: boolean;
}

/** Those of these guests that are there. */
export const moving = (connection: Connection, ids: readonly number[]): Promise<Moving[]> =>
  rowsOf(
    connection,
    placed
      .select(["g.id", "g.host_id as hostId", "n.id as nodeId", "n.name as node", "g.type", "g.vmid", "g.name"])
      .select(["g.safety_copy as safetyCopy", "g.identity"])
      .where(sql<boolean>`g.id = any(${ids}::integer[])`),
  );

/** A guest in the place where it was seen. */
interface SeenGuest {
  readonly id: number;
  readonly hostId: number;
  readonly vmid: number;
}

/** Locks a guest until the transaction ends. @returns false when it has moved or gone since, or is a safety copy */
export async function lock(connection: Connection, { id, hostId, vmid }: SeenGuest): Promise<boolean> {
  const guest = tables
    .selectFrom("guest")
    .select("id")
    .where("id", "=", id)
    .where("host_id", "=", hostId)
    .where("vmid", "=", vmid)
    .where("gone_at", "is", null)
    .where("safety_copy", "=", sql.lit(false))
    .forNoKeyUpdate();
  return (await rowOf(connection, guest)) !== null;
}

/** What has become of a guest since its port forwards were looked at. */
interface Changes {
  /** Whether a job or a request holds it. */
  readonly isBusy: boolean;
  readonly hasNewForwards: boolean;
}

/** What is new of a guest that had these port forwards; the caller has locked it. */
export async function changes(
  connection: Connection,
  { id, hostId, vmid }: SeenGuest,
  forwardIds: readonly number[],
): Promise<Changes> {
  const statement = tables.selectNoFrom([
    exists(locks.ofKey(guestLock(hostId, vmid))).as("isBusy"),
    exists(forwards.othersOfGuest(id, forwardIds)).as("hasNewForwards"),
  ]);
  return (await rowOf(connection, statement)) ?? { isBusy: false, hasNewForwards: false };
}
