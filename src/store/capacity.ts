// Memory and disk space that jobs have reserved on nodes for guests which no sync counts yet.
import { sql } from "kysely";
import { tables, written, type Connection, type Given } from "./tables.js";

/**
 * The reservation lock of a host: reservations of capacity and VMIDs are made one after the other, so that each sees those before.
 * Held until the transaction ends; processes share it. It is taken before the row of any guest is locked.
 */
export async function lockHost(connection: Connection, hostId: number): Promise<void> {
  await written(connection, sql`select pg_advisory_xact_lock(hashtext('reservations'), ${hostId})`);
}

/** Where and what a job reserves. */
interface Reservation {
  readonly jobId: number;
  readonly nodeId: number;
  readonly memoryMb: number;
  /** By name; a guest without disks needs memory alone. */
  readonly storages: readonly { readonly name: string; readonly bytes: number }[];
}

/**
 * Reserves capacity of a node for a job. The caller holds the reservation lock of the node's host since it saw that there is
 * enough. What a job has reserved is released with its end, or with the next sync after that.
 * @throws the driver's unique violation when the job has reserved capacity already
 */
export async function reserve(connection: Connection, reservation: Reservation): Promise<void> {
  const { jobId, nodeId, memoryMb, storages } = reservation;
  const places = storages.length > 0 ? storages : [{ name: "", bytes: 0 }];
  // Memory is reserved once, with the first storage.
  const rows = places.map(({ name, bytes }, index) => ({
    job_id: jobId,
    node_id: nodeId,
    storage: name,
    memory_mb: index === 0 ? memoryMb : 0,
    disk_bytes: bytes,
  }));
  await written(connection, tables.insertInto("capacity_reservation").values(rows));
}

/** Capacity of a node that is named by its host. */
interface NamedReservation {
  readonly jobId: number;
  readonly hostId: number;
  readonly node: string;
  readonly storage: string;
  readonly memoryMb: number;
  readonly diskBytes: number;
}

/** Reserves for a job the capacity that its guest uses already, while the guest is not there. Repeatable. */
export async function keepForGuest(connection: Connection, reservation: NamedReservation): Promise<void> {
  const { jobId, hostId, node, storage, memoryMb, diskBytes } = reservation;
  await written(
    connection,
    tables
      .insertInto("capacity_reservation")
      .columns(["job_id", "node_id", "storage", "memory_mb", "disk_bytes"])
      .expression((db) =>
        db
          .selectFrom("node")
          .select([
            sql<number>`${jobId}::int`.as("job_id"),
            "id",
            sql<string>`${storage}::text`.as("storage"),
            sql<number>`${memoryMb}::int`.as("memory_mb"),
            sql<number>`${diskBytes}::bigint`.as("disk_bytes"),
          ])
          .where("host_id", "=", hostId)
          .where("name", "=", node),
      )
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** Releases what ended jobs have reserved for a guest that is gone: no sync will count it. */
export async function releaseOfGoneGuest(connection: Connection, guestId: number): Promise<void> {
  await written(
    connection,
    tables
      .deleteFrom("capacity_reservation as r")
      .using("job as j")
      .where("j.guest_id", "=", guestId)
      .where("j.finished_at", "is not", null)
      .whereRef("r.job_id", "=", "j.id"),
  );
}

/** Part of a statement with a part `reserved`: capacity for each of its jobs whose node is known. */
export const insertionOfReserved = tables
  .withTables<{
    reserved: { job_id: number; node_id: number | null; storage: string; memory_mb: number; disk_bytes: number };
  }>()
  .insertInto("capacity_reservation")
  .columns(["job_id", "node_id", "storage", "memory_mb", "disk_bytes"])
  .expression((db) =>
    db
      .selectFrom("reserved")
      .select(["job_id", "node_id", "storage", "memory_mb", "disk_bytes"])
      .where("node_id", "is not", null)
      .$narrowType<{ node_id: number }>(),
  );

/** Part of a statement with a part `held`, a job that has another node of the host now: its capacity is that node's. */
export const relocationOfHeld = ({ hostId, node, storage }: Pick<NamedReservation, "hostId" | "node" | "storage">) =>
  tables
    .withTables<{ held: { id: number } }>()
    .updateTable("capacity_reservation as r")
    .from(["held", "node as n"])
    .set((row) => ({ node_id: row.ref("n.id"), storage }))
    .whereRef("r.job_id", "=", "held.id")
    .where("n.host_id", "=", hostId)
    .where("n.name", "=", node);

/** Part of a statement with a part `held`: the capacity of those jobs, which is the table `c`. */
export const deletionOfHeld = tables
  .withTables<{ held: { id: number } }>()
  .deleteFrom("capacity_reservation as c")
  .using("held")
  .whereRef("c.job_id", "=", "held.id");

/**
 * Part of a statement: what jobs that ended before this moment have reserved on a host's nodes. It stays reserved after the end of
 * its job until the guest itself is counted. A move is the source's job, with capacity on the target.
 */
export const deletionOfCounted = ({
  hostId,
  endedBefore,
}: Given<{ readonly hostId: number; readonly endedBefore: string }>) =>
  tables
    .deleteFrom("capacity_reservation as r")
    .using(["job as j", "node as n"])
    .whereRef("j.id", "=", "r.job_id")
    .whereRef("n.id", "=", "r.node_id")
    .where("n.host_id", "=", hostId)
    .where(sql<boolean>`j.finished_at < ${endedBefore}::timestamptz`);
