// What an operator does about a job that was parked because no version at work could read it: retry it, or give it up.
import type { PoolClient } from "pg";
import { isHostPermitted, permit } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { MigrationStep } from "../../core/enums.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, notFound } from "../../errors/errors.js";
import { releaseHeldSql } from "../reservation/releaseHeld.js";
import { openStored, storedSql, type StoredJob } from "../stored/kinds.js";
import { Unreadable } from "../stored/shape.js";

interface ParkedJob extends StoredJob {
  readonly parked: boolean;
  /** Hosts that it works on. */
  readonly hostIds: readonly number[];
}

const PARKED = `
  select ${storedSql("j")}, j.parked_at is not null as parked,
    array_remove(array[j.host_id] || array(select m.target_host_id from migration m where m.job_id = j.id), null) as "hostIds"
  from job j where j.id = $1 for no key update`;

/**
 * Has a parked job go on where it stands. Needs `hosts.manage`.
 * @throws DroverError notFound (also when a host of it is out of scope), forbidden, conflict (`NOT_PARKED`, `UNREADABLE`)
 */
export async function retryJob(context: Context, id: number): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  const kind = await inTransaction(context.pool, async (client) => {
    const job = await parkedJob(context, client, id);
    requireReadable(job);
    await requeue(client, id);
    return job.kind;
  });
  context.jobs.wake({ id, kind });
}

/**
 * Gives back all that a parked job holds; nothing is done on any host, so that what it has begun there is left as it is. Needs
 * `hosts.manage`.
 * @throws DroverError as `retryJob`, but for `UNREADABLE`
 */
export async function giveUpJob(context: Context, id: number): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  await inTransaction(context.pool, async (client) => {
    await parkedJob(context, client, id);
    await client.query(GIVE_UP, [id, GIVEN_UP]);
  });
}

const GIVEN_UP = "given up by an operator; what it had begun on its hosts is left as it is";

const GIVE_UP = `
  with held as (
    update job set parked_at = null, secrets_encrypted = null, error = error || '; ' || $2::text where id = $1 returning id
  ), ${releaseHeldSql()}
  update migration set error = j.error || '; ' || $2::text from held, job j
  where migration.job_id = held.id and j.id = held.id`;

async function parkedJob(context: Context, client: PoolClient, id: number): Promise<ParkedJob> {
  const { rows } = await client.query<ParkedJob>(PARKED, [id]);
  const [job] = rows;
  if (job === undefined || !job.hostIds.every((hostId) => isHostPermitted(context, hostId)))
    throw notFound(`Job ${id}`);
  if (!job.parked) throw new DroverError("conflict", `job ${id} is not parked`, { reason: "NOT_PARKED" });
  return job;
}

/** @throws DroverError conflict `UNREADABLE`: it would only be parked again */
export function requireReadable(job: StoredJob): void {
  try {
    openStored(job);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const message = `this version cannot read what the job has stored (${error.message})`;
    throw new DroverError("conflict", message, { reason: "UNREADABLE" });
  }
}

/** The sweep may have removed the temporary token of a move meanwhile: its step is done again, unless the transfer was begun. */
const REQUEUE = `
  with queued as (
    update job set status = 'queued', parked_at = null, error = null, finished_at = null where id = $1 returning id
  )
  delete from job_step s using queued where s.job_id = queued.id and s.name = $2`;

/** The caller commits, then wakes a worker. */
export async function requeue(client: PoolClient, id: number): Promise<void> {
  await client.query(REQUEUE, [id, MigrationStep.TARGET_TOKEN]);
}
