// Decides which worker works on a job: claims, renews and releases leases, all by the database's clock.
import type { Pool } from "pg";
import { readableSql } from "../../src/actions/stored/kinds.js";
import type { Services } from "../../src/context/context.js";
import type { JobKind } from "../../src/core/enums.js";
import { pause } from "../../src/concurrency/pause.js";
import type { ClaimedJob } from "./step.js";

/** Renewals within the term of a lease: a worker can miss all of them but one. */
const RENEWALS_PER_LEASE = 3;

/** While work is drained, nothing is begun but the move that a run is at: then the run can stop between two guests. */
const MAY_BEGIN = `(not exists (select from drain)
  or exists (select from run_item i join migration m on m.id = i.migration_id where m.job_id = job.id and i.status = 'running'))`;

/** What a later version has stored is left to its processes. */
const DUE = `((status = 'queued' and ${MAY_BEGIN}) or (status = 'running' and lease_until < now()))
  and version <= ${readableSql("job")}`;

/**
 * Condition on a row of `job`: it is of these kinds, and waits for a worker. The kinds of a queue stand in the text, as they do in
 * the queue's index: as a parameter they would not tell PostgreSQL that it may use it.
 */
export const dueSql = (kinds: readonly JobKind[]): string =>
  `kind in (${kinds.map((kind) => `'${kind}'`).join(", ")}) and ${DUE}`;

/** Takes the jobs that `which` gives. */
const claimSql = (which: string): string => `
  update job set
    status = 'running', lease_epoch = lease_epoch + 1, lease_until = now() + $2 * interval '1 second', worker = $1,
    attempts = attempts + 1, started_at = coalesce(started_at, service_now()), reads = ${readableSql("job")}
  where ${which}
  returning id, kind, host_id as "hostId", node, vmid, guest_id as "guestId", version, input, facts,
    secrets_encrypted as "secretsEncrypted", lease_epoch as "leaseEpoch", attempts,
    array(select name from job_step where job_id = job.id and status in ('done', 'warned')) as "stepsDone",
    extract(epoch from started_at - created_at)::float8 as "waitedSeconds"`;

const CLAIM_ONE = { name: "job-claim", text: claimSql(`id = $3 and ${DUE}`) };
const claimDueSql = (kinds: readonly JobKind[]): string =>
  claimSql(`id in (select id from job where ${dueSql(kinds)} order by id limit $3 for update skip locked)`);

type Leasing = Pick<Services, "pool" | "config">;

/** A claimed job whose JSON is as its row has it. */
export interface Claim extends Omit<ClaimedJob, "facts"> {
  /** Of what it has stored. */
  readonly version: number;
  readonly facts: unknown;
  /** How long it had waited when it was first started, seconds. */
  readonly waitedSeconds: number;
}

/** Takes the job if it is queued, or running with an expired lease; null when another has it or it has ended. */
export async function claim({ pool, config }: Leasing, jobId: number, worker: string): Promise<Claim | null> {
  const { rows } = await pool.query<Claim>({ ...CLAIM_ONE, values: [worker, config.leaseSeconds, jobId] });
  return rows[0] ?? null;
}

/** Which jobs a worker takes. */
interface Wanted {
  readonly kinds: readonly JobKind[];
  /** At most so many. */
  readonly most: number;
}

/** Takes jobs that are queued, or running with an expired lease, those first that were made first. */
export async function claimDue({ pool, config }: Leasing, { kinds, most }: Wanted, worker: string): Promise<Claim[]> {
  const { rows } = await pool.query<Claim>(claimDueSql(kinds), [worker, config.leaseSeconds, most]);
  return rows;
}

/** A job that is held under a lease. */
type Lease = Pick<ClaimedJob, "id" | "leaseEpoch">;

interface Holding {
  /** Ends with the work on the job. */
  readonly held: AbortSignal;
  /** Called once when another worker has the lease. */
  readonly lost: () => void;
}

/** Renews the lease while it is held. While the database is away it goes on trying: nobody else can claim the job either. */
export async function keepLease(
  { pool, config: { leaseSeconds }, log }: Leasing & Pick<Services, "log">,
  job: Lease,
  { held, lost }: Holding,
): Promise<void> {
  const pauseMs = (leaseSeconds * 1000) / RENEWALS_PER_LEASE;
  while (!held.aborted) {
    await pause(pauseMs, held);
    if (held.aborted) return;
    try {
      if (await renew(pool, job, leaseSeconds)) continue;
      lost();
      return;
    } catch (error) {
      log.warn({ err: error, jobId: job.id }, "a lease could not be extended");
    }
  }
}

async function renew(pool: Pool, job: Lease, leaseSeconds: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update job set lease_until = now() + $3 * interval '1 second' where id = $1 and lease_epoch = $2 and status = 'running'`,
    [job.id, job.leaseEpoch, leaseSeconds],
  );
  return rowCount === 1;
}

/** Gives the lease back at once, so that another worker goes on without waiting for it to expire. */
export async function release(pool: Pool, job: Lease): Promise<void> {
  await pool.query(
    `update job set lease_until = now() - interval '1 second'
     where id = $1 and lease_epoch = $2 and status = 'running'`,
    [job.id, job.leaseEpoch],
  );
}

/** Gives the job back as one that waits to be begun. */
export async function queueAgain(pool: Pool, job: Lease): Promise<void> {
  await pool.query(
    `update job set status = 'queued', lease_until = null, worker = null
     where id = $1 and lease_epoch = $2 and status = 'running'`,
    [job.id, job.leaseEpoch],
  );
}
