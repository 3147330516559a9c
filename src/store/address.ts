// Addresses of IP zones: which are taken, by which job until it ends, and by which guest.
import { sql, type Expression } from "kysely";
import { rowsOf, tables, written, type Connection, type Given } from "./tables.js";

/** An address for a job, without its prefix length. */
interface AddressForJob {
  readonly address: string;
  readonly jobId: number;
}

/**
 * Takes addresses of a zone for jobs. The caller holds the zone's row since it saw that they are free; a sync and a move take
 * addresses without it, and what they have taken is left out.
 * @returns the addresses that were taken
 */
export async function takeForJobs(
  connection: Connection,
  zoneId: number,
  wanted: readonly AddressForJob[],
): Promise<ReadonlySet<string>> {
  const statement = tables
    .insertInto("ip_address")
    .columns(["zone_id", "address", "job_id"])
    .expression(
      tables.selectNoFrom([
        sql<number>`${zoneId}::int`.as("zone_id"),
        sql<string>`unnest(${wanted.map(({ address }) => address)}::inet[])`.as("address"),
        sql<number>`unnest(${wanted.map(({ jobId }) => jobId)}::int[])`.as("job_id"),
      ]),
    )
    .onConflict((conflict) => conflict.columns(["zone_id", "address"]).doNothing())
    .returning(sql<string>`host(address)`.as("address"));
  return new Set((await rowsOf(connection, statement)).map(({ address }) => address));
}

/** One address of a zone that may have been deleted. */
interface NamedAddress extends AddressForJob {
  readonly zoneId: number;
}

const insertionOfOne = ({ zoneId, address, jobId }: NamedAddress) =>
  tables
    .insertInto("ip_address")
    .columns(["zone_id", "address", "job_id"])
    .expression((db) =>
      db
        .selectFrom("ip_zone")
        .select(["id", sql<string>`${address}::inet`.as("address"), sql<number>`${jobId}::int`.as("job_id")])
        .where("id", "=", zoneId),
    );

/** Takes one address for a job. @returns false when it is taken, or when the zone no longer exists */
export async function takeForJob(connection: Connection, address: NamedAddress): Promise<boolean> {
  const statement = insertionOfOne(address).onConflict((conflict) => conflict.doNothing());
  return (await written(connection, statement)) === 1;
}

/**
 * Takes for a job an address that an earlier attempt had: it may be free since then, or its guest may be configured with it.
 * @returns false when another job or guest has it, or when the zone no longer exists
 */
export async function takeAgainForJob(
  connection: Connection,
  { guestId, ...address }: NamedAddress & { readonly guestId: number },
): Promise<boolean> {
  const statement = insertionOfOne(address).onConflict((conflict) =>
    conflict
      .columns(["zone_id", "address"])
      .doUpdateSet((row) => ({ job_id: row.ref("excluded.job_id") }))
      .where("ip_address.guest_id", "=", guestId),
  );
  return (await written(connection, statement)) === 1;
}

/** Gives a guest the addresses that a job has taken in a zone. The job keeps them until it ends. */
export async function giveToGuest(
  connection: Connection,
  guestId: number,
  { jobId, zoneId }: { readonly jobId: number; readonly zoneId: number },
): Promise<void> {
  await written(
    connection,
    tables
      .updateTable("ip_address")
      .set({ guest_id: guestId })
      .where("job_id", "=", jobId)
      .where("zone_id", "=", zoneId),
  );
}

/** Takes from guests the addresses that a job has taken for them: the job's end releases them. */
export async function takeFromGuest(connection: Connection, jobId: number): Promise<void> {
  await written(connection, tables.updateTable("ip_address").set({ guest_id: null }).where("job_id", "=", jobId));
}

/**
 * Part of a statement: addresses that guests of a host were given by hand belong to the zones they lie in, so that no other guest
 * gets them. VMIDs that jobs hold are left to those jobs.
 */
export const adoption = ({ hostId, held }: Given<{ readonly hostId: number; readonly held: readonly number[] }>) =>
  tables
    .insertInto("ip_address")
    .columns(["zone_id", "address", "guest_id"])
    .expression(
      sql`select distinct on (z.id, a.address) z.id, a.address::inet, g.id
        from ip_zone z join guest g on g.host_id = z.host_id cross join unnest(g.ip_addresses) as a (address)
        where z.host_id = ${hostId} and g.gone_at is null and not g.safety_copy and g.vmid <> all(${held}::integer[])
          and a.address::inet between z.range_start and z.range_end
          and not exists (select from ip_address taken where taken.zone_id = z.id and taken.address = a.address::inet)
        order by z.id, a.address, g.id`,
    )
    .onConflict((conflict) => conflict.columns(["zone_id", "address"]).doNothing());

/**
 * Part of a statement: addresses of guests of a host that were deleted outside the service. They rest for some minutes: such a
 * guest may come back.
 */
export const deletionOfLongGone = ({ hostId, now }: Given<{ readonly hostId: number; readonly now: Date }>) =>
  tables
    .deleteFrom("ip_address as a")
    .using("guest as g")
    .whereRef("a.guest_id", "=", "g.id")
    .where("a.job_id", "is", null)
    .where("g.host_id", "=", hostId)
    .where(sql<boolean>`g.gone_at < ${now}::timestamptz - interval '5 minutes'`);

/** Releases all addresses of a guest that is gone. */
export async function releaseOfGuest(connection: Connection, guestId: number): Promise<void> {
  await written(connection, tables.deleteFrom("ip_address").where("guest_id", "=", guestId));
}

/** Releases all addresses of a guest but one. */
export async function releaseOthersOfGuest(
  connection: Connection,
  guestId: number,
  { zoneId, address }: { readonly zoneId: number | null; readonly address: string },
): Promise<void> {
  await written(
    connection,
    tables
      .deleteFrom("ip_address")
      .where("guest_id", "=", guestId)
      .where(sql<boolean>`not (zone_id = ${zoneId} and address = ${address})`),
  );
}

/** Part of a statement with a part `recorded`, a guest: it gets the addresses that its job has taken. */
export const assignmentToRecorded = (jobId: Expression<number>) =>
  tables
    .withTables<{ recorded: { id: number } }>()
    .updateTable("ip_address as a")
    .from("recorded")
    .set((row) => ({ guest_id: row.ref("recorded.id") }))
    .where("a.job_id", "=", jobId);

const ofHeld = tables.withTables<{ held: { id: number } }>();

/** Part of a statement with a part `held`: addresses of those jobs that guests have got stay the guests'. */
export const handoverOfHeld = ofHeld
  .updateTable("ip_address as a")
  .from("held")
  .set({ job_id: sql.lit(null) })
  .whereRef("a.job_id", "=", "held.id")
  .where("a.guest_id", "is not", null);

/** Part of a statement with a part `held`: addresses of those jobs that no guest has got. */
export const deletionOfHeld = ofHeld
  .deleteFrom("ip_address as a")
  .using("held")
  .whereRef("a.job_id", "=", "held.id")
  .where("a.guest_id", "is", null);

/** Part of a statement: addresses that neither a guest nor an existing job has. */
export const deletionOfUnowned = tables
  .deleteFrom("ip_address as a")
  .where("a.guest_id", "is", null)
  .where((db) => db.not(db.exists(db.selectFrom("job as j").select("j.id").whereRef("j.id", "=", "a.job_id"))));

/**
 * Deletes ended periods of the history of addresses that are older than the setting allows. Triggers write the history; present
 * holders are kept without a limit.
 * @returns how many
 */
export const deleteOldHoldings = (connection: Connection, now: Date): Promise<number> =>
  written(
    connection,
    tables
      .deleteFrom("ip_address_holding as h")
      .using("setting as s")
      .where(sql<boolean>`h.until < ${now}::timestamptz - s.address_history_retention_days * interval '1 day'`),
  );
