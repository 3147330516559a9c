// What a job holds from its beginning: locks, VMIDs and capacity, taken in one statement.
import { sql } from "kysely";
import { JobKind } from "../../core/enums.js";
import { guestLock } from "../../core/guest/lock.js";
import * as capacity from "../capacity.js";
import { dueSafetyCopies } from "../guest/moved.js";
import * as jobs from "../job/job.js";
import { updateOfHeld, type Lease } from "../job/lease.js";
import * as locks from "../lock.js";
import * as migrations from "../migration.js";
import { prepared, rowOf, rowsOf, tables, written, type Connection } from "../tables.js";
import * as vmids from "../vmid.js";

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

/** The job of a creation, with what it takes on its node. */
export interface Creation extends jobs.NewCreation {
  readonly storage: string;
  readonly memory_mb: number;
  readonly disk_bytes: number;
  readonly lock: string;
}

/** A row each, of the types that JSON is read as. */
const WANTED = `wanted (vmid integer, node text, storage text, memory_mb integer, disk_bytes bigint, lock text,
  input jsonb, secrets text, user_id integer, token_id integer)`;

interface Creations {
  readonly hostId: number;
  /** Of what the jobs store. */
  readonly version: number;
  /** JSON of `Creation`s. */
  readonly creations: string;
}

const INSERT_CREATIONS = prepared<Creations, { id: number; vmid: number }>("insert-creations", (given) =>
  tables
    .with("wanted", (db) =>
      db
        .selectFrom(sql<Creation>`jsonb_to_recordset(${given.creations}::jsonb)`.as<"wanted">(sql.raw(WANTED)))
        .selectAll(),
    )
    .with("made", () =>
      jobs.insertionOfWanted({ kind: JobKind.GUEST_CREATE, version: given.version, hostId: given.hostId }),
    )
    .with("reserved", (db) =>
      db
        .selectFrom("made")
        .innerJoin("wanted", "wanted.vmid", "made.vmid")
        .leftJoin("node", (join) =>
          join.onRef("node.name", "=", "wanted.node").on("node.host_id", "=", sql<number>`${given.hostId}::int`),
        )
        .select([
          "made.id as job_id",
          sql<number>`${given.hostId}::int`.as("host_id"),
          "made.vmid",
          "wanted.lock",
          "node.id as node_id",
          "wanted.storage",
          "wanted.memory_mb",
          "wanted.disk_bytes",
        ]),
    )
    .with("locked", () => locks.insertionOfReserved)
    .with("numbered", () => vmids.insertionOfReserved)
    .with("room", () => capacity.insertionOfReserved)
    .selectFrom("made")
    .select(["id", "vmid"]),
);

/**
 * Inserts the jobs of creations on one host, each with its lock, its VMID and the capacity of its node. The caller holds the
 * host's reservation lock.
 * @returns the jobs
 * @throws the driver's unique violation of `resource_lock_pkey` or `vmid_reservation_pkey` when a job on a guest that exists took
 *   the VMID meanwhile: nothing is inserted
 */
export const insertCreations = (
  connection: Connection,
  { creations, ...shared }: Omit<Creations, "creations"> & { readonly creations: readonly Creation[] },
): Promise<{ id: number; vmid: number }[]> =>
  rowsOf(connection, INSERT_CREATIONS({ ...shared, creations: JSON.stringify(creations) }));

/** Where a creation goes. */
interface Destination {
  readonly hostId: number;
  readonly node: string;
  readonly storage: string;
}

/**
 * Moves the job of a creation to another node or storage of its host, with the capacity that it has reserved. The caller holds the
 * host's reservation lock. A worker that lost its lease writes nothing.
 */
export async function moveCreation(
  connection: Connection,
  { id, leaseEpoch }: Lease,
  { hostId, node, storage }: Destination,
): Promise<void> {
  await written(
    connection,
    tables
      .with("held", () => updateOfHeld({ id, leaseEpoch }).set({ node }).returning("id"))
      .with("relocated", () => capacity.relocationOfHeld({ hostId, node, storage }))
      .selectFrom("held")
      .select("id"),
  );
}

/** The lock and the reservation of a job, from one VMID to another. */
const exchange = (lease: Lease, { hostId, from, to }: vmids.Renumbering, job: jobs.Exchanged) =>
  tables
    .with("held", () => updateOfHeld(lease).set(job).returning("id"))
    .with("unlocked", () => locks.deletionOfHeld.where("l.key", "=", guestLock(hostId, from)))
    .with("locked", () => locks.insertionOfHeld(guestLock(hostId, to)))
    .with("numbered", () => vmids.exchangeOfHeld({ hostId, from, to }));

/**
 * Gives the guest of a creation another VMID of its host: in the job, in its findings, and in what it holds. The caller holds the
 * host's reservation lock since it saw that the VMID is free.
 * @returns false when the lease is lost: nothing is written
 * @throws the driver's unique violation of `resource_lock_pkey` or `vmid_reservation_pkey` when another took it meanwhile
 */
export async function renumberCreation(
  connection: Connection,
  lease: Lease,
  renumbering: vmids.Renumbering,
): Promise<boolean> {
  const statement = exchange(lease, renumbering, jobs.withVmid(renumbering.to)).selectFrom("held").select("id");
  return (await rowOf(connection, statement)) !== null;
}

/** The same for the VMID of a move's guest on the target. */
export async function renumberMove(
  connection: Connection,
  lease: Lease,
  renumbering: vmids.Renumbering,
): Promise<boolean> {
  const statement = exchange(lease, renumbering, jobs.withTargetVmid(renumbering.to))
    .with("shown", () => migrations.retargetingOfHeld(renumbering.to))
    .selectFrom("held")
    .select("id");
  return (await rowOf(connection, statement)) !== null;
}

/** What due deletions are made with: the present moment, and the version of what the jobs store. */
interface Due {
  readonly now: Date;
  readonly version: number;
}

const INSERT_COPY_DELETIONS = prepared<Due, { id: number }>("insert-copy-deletions", ({ now, version }) =>
  tables
    .with("due", () => dueSafetyCopies(now))
    .with("locked", () => locks.insertionOfDue)
    .with("made", () => jobs.insertionOfLocked(JobKind.SAFETY_COPY_DELETE, version))
    .selectFrom("made")
    .select("id"),
);

/**
 * Inserts the jobs that delete the safety copies whose date has come, with their locks. Whether a copy is free its lock decides:
 * another job may take it while its row is waited for.
 * @returns the ids of the jobs
 */
export async function insertCopyDeletions(connection: Connection, now: Date, version: number): Promise<number[]> {
  return (await rowsOf(connection, INSERT_COPY_DELETIONS({ now, version }))).map(({ id }) => id);
}
