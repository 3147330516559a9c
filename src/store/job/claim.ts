// Writes the leases of jobs: which worker holds one, until when, and under which number; all by the database's clock.
import { sql } from "kysely";
import type { JobKind } from "../../core/enums.js";
import type { Lease } from "./job.js";
import { tables, written, type Connection, type Row } from "../tables.js";

type JobRow = Row<"job">;

/** While work is drained, nothing is begun but the move that a run is at: then the run can stop between two guests. */
const MAY_BEGIN = `(not exists (select from drain)
  or exists (select from run_item i join migration m on m.id = i.migration_id where m.job_id = job.id and i.status = 'running'))`;

/** The newest version that this process reads of the row's kind. */
const READABLE = `($3::jsonb ->> kind)::smallint`;

/** What a later version has stored is left to its processes. */
const DUE = `((status = 'queued' and ${MAY_BEGIN}) or (status = 'running' and lease_until < now())) and version <= ${READABLE}`;

/** Claims the jobs that `which` gives. */
const claimSql = (which: string): string => `
  update job set
    status = 'running', lease_epoch = lease_epoch + 1, lease_until = now() + $2 * interval '1 second', worker = $1,
    attempts = attempts + 1, started_at = coalesce(started_at, service_now()), reads = ${READABLE}
  where ${which}
  returning id, kind, host_id as "hostId", (select name from host where host.id = job.host_id) as "hostName", node, vmid, guest_id as "guestId", version, input, facts,
    secrets_encrypted as "secretsEncrypted", lease_epoch as "leaseEpoch", attempts,
    array(select name from job_step where job_id = job.id and status in ('done', 'warned')) as "stepsDone",
    array(select name from job_step where job_id = job.id) as "stepsBegun",
    extract(epoch from started_at - created_at)::float8 as "waitedSeconds",
    (select lock_wait_seconds from setting) as "lockWaitSeconds"`;

const CLAIM_ONE = { name: "job-claim", text: claimSql(`id = $4 and ${DUE}`) };

/** The kinds of a queue stand in the text, as in the queue's index: with a parameter PostgreSQL does not use the index. */
const claimDueSql = (kinds: readonly JobKind[]): string =>
  claimSql(`id in (select id from job where kind in (${kinds.map((kind) => `'${kind}'`).join(", ")}) and ${DUE}
    and id <> all($5) order by id limit $4 for update skip locked)`);

/** A claimed job as its row has it; the JSON is as it was stored. */
export interface Claim extends Lease {
  readonly kind: JobRow["kind"];
  readonly hostId: JobRow["host_id"];
  /** Null: the job is about no host, or the host is no longer connected. */
  readonly hostName: string | null;
  readonly node: JobRow["node"];
  readonly vmid: JobRow["vmid"];
  readonly guestId: JobRow["guest_id"];
  /** Of the shape that `input` and `facts` have. */
  readonly version: JobRow["version"];
  readonly input: unknown;
  readonly facts: unknown;
  readonly secretsEncrypted: JobRow["secrets_encrypted"];
  readonly attempts: JobRow["attempts"];
  /** Names of the steps that are done, with or without warnings. */
  readonly stepsDone: readonly string[];
  /** Names of all steps that are on record. */
  readonly stepsBegun: readonly string[];
  /** How long it had waited when it was first started, seconds. */
  readonly waitedSeconds: number;
  /** The setting of this name, as it was when the job was claimed. */
  readonly lockWaitSeconds: number;
}

/** Who claims, and on which terms. */
export interface Claimant {
  /** The worker's name, unique among processes. */
  readonly worker: string;
  readonly leaseSeconds: number;
  /** The newest version of what jobs store, by kind, that the worker reads. */
  readonly readable: ReadonlyMap<JobKind, number>;
}

/** Which due jobs a worker takes. */
export interface Wanted {
  readonly kinds: readonly JobKind[];
  /** At most so many. */
  readonly most: number;
  /** Jobs that it leaves alone. */
  readonly except?: readonly number[];
}

const terms = ({ worker, leaseSeconds, readable }: Claimant): unknown[] => [
  worker,
  leaseSeconds,
  JSON.stringify(Object.fromEntries(readable)),
];

/** Claims the job if it is queued, or running with an expired lease. @returns null when another worker has it or it has ended */
export async function claimJob(connection: Connection, claimant: Claimant, id: number): Promise<Claim | null> {
  const { rows } = await connection.query<Claim>({ ...CLAIM_ONE, values: [...terms(claimant), id] });
  return rows[0] ?? null;
}

/** Claims jobs that are queued, or running with an expired lease, the oldest first. */
export async function claimDueJobs(
  connection: Connection,
  claimant: Claimant,
  { kinds, most, except = [] }: Wanted,
): Promise<Claim[]> {
  const values = [...terms(claimant), most, except];
  return (await connection.query<Claim>({ text: claimDueSql(kinds), values })).rows;
}

const held = ({ id, leaseEpoch }: Lease) =>
  tables.updateTable("job").where("id", "=", id).where("lease_epoch", "=", leaseEpoch).where("status", "=", "running");

/** Extends a lease from now on. @returns false when it is not held any longer */
export async function renewLease(connection: Connection, lease: Lease, leaseSeconds: number): Promise<boolean> {
  const until = sql<Date>`now() + ${leaseSeconds} * interval '1 second'`;
  return (await written(connection, held(lease).set({ lease_until: until }))) === 1;
}

/** Ends a lease at once: another worker goes on without waiting for it to expire. */
export async function releaseLease(connection: Connection, lease: Lease): Promise<void> {
  await written(connection, held(lease).set({ lease_until: sql<Date>`now() - interval '1 second'` }));
}

/** Returns the job to its queue, as one that waits to be begun. */
export async function requeueJob(connection: Connection, lease: Lease): Promise<void> {
  await written(connection, held(lease).set({ status: "queued", lease_until: null, worker: null }));
}
