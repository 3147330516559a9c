// Decides whether a worker holds a job: the one condition that fences whatever the worker writes. Leases last by the database's clock.
import { sql, type ExpressionBuilder } from "kysely";
import { JobStatus } from "../../core/enums.js";
import { prepared, rowOf, tables, written, type Connection, type Given, type Tables } from "../tables.js";

/** A job as one worker holds it. */
export interface Lease {
  readonly id: number;
  /** Number of the claim. */
  readonly leaseEpoch: number;
}

/** Condition on a row of `job`: the job runs under this lease. It does not once it has ended, waits again or was claimed again. */
export const isHeld =
  ({ id, leaseEpoch }: Lease | Given<Lease>) =>
  (row: ExpressionBuilder<Tables, "job">) =>
    row.and([
      row("job.id", "=", id),
      row("job.lease_epoch", "=", leaseEpoch),
      row("job.status", "=", sql.lit(JobStatus.RUNNING)),
    ]);

/** Part of a statement: the job of a lease. No other worker claims it until the statement's transaction ends. */
export const held = (lease: Lease | Given<Lease>) =>
  tables.selectFrom("job").select("id").where(isHeld(lease)).forNoKeyUpdate();

/** Part of a statement: a change of the job of a lease. */
export const updateOfHeld = (lease: Lease | Given<Lease>) => tables.updateTable("job").where(isHeld(lease));

const HOLD = prepared<Lease, { id: number }>("job-hold", held);

/** Keeps a job with its worker until the transaction ends. @returns whether the lease is held */
export const holdJob = async (connection: Connection, { id, leaseEpoch }: Lease): Promise<boolean> =>
  (await rowOf(connection, HOLD({ id, leaseEpoch }))) !== null;

const RENEW = prepared<Lease & { readonly leaseSeconds: number }, never>("job-renew", (given) =>
  updateOfHeld(given).set({ lease_until: sql<Date>`now() + ${given.leaseSeconds} * interval '1 second'` }),
);

/** Extends a lease from now on. @returns false when it is not held any longer */
export const renewLease = async (
  connection: Connection,
  { id, leaseEpoch }: Lease,
  leaseSeconds: number,
): Promise<boolean> => (await written(connection, RENEW({ id, leaseEpoch, leaseSeconds }))) === 1;

/** Ends a lease at once: another worker goes on without waiting for it to expire. */
export async function releaseLease(connection: Connection, lease: Lease): Promise<void> {
  await written(connection, updateOfHeld(lease).set({ lease_until: sql<Date>`now() - interval '1 second'` }));
}

/** Returns the job to its queue, as one that waits to be begun. */
export async function requeueJob(connection: Connection, lease: Lease): Promise<void> {
  const queued = { status: JobStatus.QUEUED, lease_until: null, worker: null };
  await written(connection, updateOfHeld(lease).set(queued));
}
