// Locks of guests, each held by one job or one request at a time; and the VMIDs that a job is about to use are locked likewise.
import { sql } from "kysely";
import type { JobKind } from "../core/enums.js";
import { guestLock, guestLockSql } from "../core/guest/lock.js";
import { prepared, rowOf, rowsOf, tables, written, type Connection } from "./tables.js";

/** Longer than any request waits for its platform: a lock that is older belongs to a process that died. */
const REQUEST_EXPIRY = sql<Date>`now() + interval '60 seconds'`;

/** A guest in the inventory, with its place. */
interface PlacedGuest {
  readonly id: number;
  readonly hostId: number;
  readonly vmid: number;
}

/** The lock of a request. */
export interface RequestLock {
  readonly key: string;
  /** In PostgreSQL's words, to the microsecond: it identifies this lock among others of the same guest. */
  readonly until: string;
}

const TAKE_FOR_REQUEST = prepared<PlacedGuest & Pick<RequestLock, "key">, RequestLock>("lock-request", (given) =>
  tables
    .with("present", (db) =>
      db
        .selectFrom("guest")
        .select("id")
        .where("id", "=", given.id)
        .where("host_id", "=", given.hostId)
        .where("vmid", "=", given.vmid)
        .where("gone_at", "is", null)
        .where("safety_copy", "=", sql.lit(false))
        .forNoKeyUpdate(),
    )
    .insertInto("resource_lock")
    .columns(["key", "until"])
    .expression((db) => db.selectFrom("present").select([given.key.as("key"), REQUEST_EXPIRY.as("until")]))
    .onConflict((conflict) =>
      conflict
        .column("key")
        .doUpdateSet((row) => ({ since: sql`now()`, until: row.ref("excluded.until") }))
        .where("resource_lock.until", "<", sql<Date>`now()`),
    )
    .returning(["key", sql<string>`until::text`.as("until")]),
);

/**
 * Locks a guest for a request. The guest's row is locked first: a guest that has moved or gone since it was looked up is not
 * locked. An expired lock of another request is replaced.
 * @returns null while a job or another request holds the guest
 */
export const takeForRequest = (connection: Connection, guest: PlacedGuest): Promise<RequestLock | null> =>
  rowOf(connection, TAKE_FOR_REQUEST({ ...guest, key: guestLock(guest.hostId, guest.vmid) }));

const RELEASE = prepared<RequestLock, never>("lock-release", (given) =>
  tables
    .deleteFrom("resource_lock")
    .where("key", "=", given.key)
    .where("until", "=", sql<Date>`${given.until}::timestamptz`),
);

/** Releases the lock of a request. One that has expired meanwhile and was replaced stays. */
export async function release(connection: Connection, lock: RequestLock): Promise<void> {
  await written(connection, RELEASE(lock));
}

/** Part of a statement: the lock under a key. */
export const ofKey = (key: string) => tables.selectFrom("resource_lock").select("key").where("key", "=", key);

/** Part of a statement: locks of one job; keys that are locked already are left out. @returns the keys that it got */
export const insertion = (jobId: number, keys: readonly string[]) =>
  tables
    .insertInto("resource_lock")
    .values(keys.map((key) => ({ key, job_id: jobId })))
    .onConflict((conflict) => conflict.doNothing())
    .returning("key");

/**
 * Locks guests or VMIDs for a job. The caller holds the rows of the guests that exist. It names the lock of the source before that
 * of the target: two jobs that name the same two in another order would wait for each other.
 * @returns the keys that the job got: one that is missing is held by another job or request, and the caller rolls back
 */
export async function takeForJob(
  connection: Connection,
  jobId: number,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await rowsOf(connection, insertion(jobId, keys));
  return new Set(rows.map(({ key }) => key));
}

/** Whether a job of a kind holds a lock. */
export async function isOfJob(connection: Connection, key: string, kind: JobKind): Promise<boolean> {
  const held = tables
    .selectFrom("resource_lock as l")
    .innerJoin("job as j", "j.id", "l.job_id")
    .select("j.id")
    .where("l.key", "=", key)
    .where("j.kind", "=", kind);
  return (await rowOf(connection, held)) !== null;
}

/** Part of a statement with a part `reserved`: a lock for each of its jobs. @throws the unique violation `resource_lock_pkey` */
export const insertionOfReserved = tables
  .withTables<{ reserved: { job_id: number; lock: string } }>()
  .insertInto("resource_lock")
  .columns(["key", "job_id"])
  .expression((db) => db.selectFrom("reserved").select(["lock", "job_id"]));

/**
 * Part of a statement with a part `due`, guests: a lock for each, of a job that gets the next id. Guests that are locked already are
 * left out. @returns keys and ids of jobs
 */
export const insertionOfDue = tables
  .withTables<{ due: { host_id: number; vmid: number } }>()
  .insertInto("resource_lock")
  .columns(["key", "job_id"])
  .expression((db) =>
    db
      .selectFrom("due")
      .select([
        sql<string>`${sql.raw(guestLockSql("due"))}`.as("key"),
        sql<number>`nextval(pg_get_serial_sequence('job', 'id'))`.as("job_id"),
      ]),
  )
  .onConflict((conflict) => conflict.doNothing())
  .returning(["key", "job_id"]);

/** Part of a statement with a part `held`, a job: another lock of that job. @throws the unique violation `resource_lock_pkey` */
export const insertionOfHeld = (key: string) =>
  tables
    .withTables<{ held: { id: number } }>()
    .insertInto("resource_lock")
    .columns(["key", "job_id"])
    .expression((db) => db.selectFrom("held").select([sql<string>`${key}::text`.as("key"), "id"]));

/** Part of a statement: locks of requests whose process died. */
export const deletionOfExpired = tables.deleteFrom("resource_lock").where("until", "<", sql<Date>`now()`);

/** Part of a statement with a part `held`: the locks of that job. */
export const deletionOfHeld = tables
  .withTables<{ held: { id: number } }>()
  .deleteFrom("resource_lock as l")
  .using("held")
  .whereRef("l.job_id", "=", "held.id");
