// Turns of jobs that clone a template: so many of them at a time as the setting says, the others in the order of their ids.
import { sql } from "kysely";
import { isHeld, type Lease } from "./job/lease.js";
import { prepared, tables, written, type Connection } from "./tables.js";

/** A template on its host. */
interface Template {
  readonly hostId: number;
  readonly vmid: number;
}

const QUEUE = prepared<Lease & Template, never>("clone-queue", (given) =>
  tables
    .insertInto("clone_turn")
    .columns(["job_id", "host_id", "vmid"])
    .expression((db) =>
      db
        .selectFrom("job")
        .select(["id", sql<number>`${given.hostId}::int`.as("host_id"), sql<number>`${given.vmid}::int`.as("vmid")])
        .where(isHeld(given)),
    )
    .onConflict((conflict) =>
      conflict
        .column("job_id")
        .doUpdateSet((row) => ({ host_id: row.ref("excluded.host_id"), vmid: row.ref("excluded.vmid") })),
    ),
);

/** How many are ahead of the turn `mine`. A job that ended, or is queued again, is ahead of nobody. */
const AHEAD = sql<number>`(
  select count(*) from clone_turn other join job on job.id = other.job_id and job.status = 'running'
  where other.host_id = mine.host_id and other.vmid = mine.vmid and other.job_id <> mine.job_id
    and (other.has_begun or other.job_id < mine.job_id))`;

const BEGIN = prepared<Pick<Lease, "id">, never>("clone-begin", (given) =>
  tables
    .updateTable("clone_turn as mine")
    .set({ has_begun: true })
    .where("mine.job_id", "=", given.id)
    .where((row) =>
      row.or([row.ref("mine.has_begun"), row(row.selectFrom("setting").select("clones_per_template"), ">", AHEAD)]),
    ),
);

/** What came of a job's request for a turn to clone. */
export type CloneTurn = "begun" | "waiting" | "lost";

/**
 * Takes a job's turn to clone a template, or its place among those that wait; one that has its turn keeps it. The caller is in a
 * transaction.
 * @returns `lost` when the lease is: nothing is written
 */
export async function take(connection: Connection, { id, leaseEpoch }: Lease, template: Template): Promise<CloneTurn> {
  await written(connection, sql`select pg_advisory_xact_lock(hashtext('clones'), ${template.hostId})`);
  if ((await written(connection, QUEUE({ id, leaseEpoch, ...template }))) === 0) return "lost";
  return (await written(connection, BEGIN({ id }))) === 1 ? "begun" : "waiting";
}

/** Ends a job's turn, or its waiting. */
export async function end(connection: Connection, jobId: number): Promise<void> {
  await written(connection, tables.deleteFrom("clone_turn").where("job_id", "=", jobId));
}

/** Part of a statement with a part `held`, jobs: their turns. */
export const deletionOfHeld = tables
  .withTables<{ held: { id: number } }>()
  .deleteFrom("clone_turn as t")
  .using("held")
  .whereRef("t.job_id", "=", "held.id")
  .returning(sql<number>`t.job_id`.as("id"));
