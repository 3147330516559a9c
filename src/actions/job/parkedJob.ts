// What an operator does about a job that was parked because no version at work could read it: retry it, or give it up.
import type { PoolClient } from "pg";
import { isHostPermitted, permit } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, notFound } from "../../errors/errors.js";
import { giveUpJob as giveUp } from "../../store/held/end.js";
import { lockJob, unparkJob, type LockedJob } from "../../store/job/parked.js";
import { openStored, type StoredJob } from "../../job/kinds.js";
import { Unreadable } from "../../job/shape.js";

/**
 * Has a parked job go on where it stands. Needs `hosts.manage`.
 * @throws DroverError notFound (also when a host of it is out of scope), forbidden, conflict (`NOT_PARKED`, `UNREADABLE`)
 */
export async function retryJob(context: Context, id: number): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  const kind = await inTransaction(context.pool, async (client) => {
    const job = await parkedJob(context, client, id);
    requireReadable(job);
    await unparkJob(client, id);
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
    await giveUp(client, id, GIVEN_UP);
  });
}

const GIVEN_UP = "given up by an operator; what it had begun on its hosts is left as it is";

async function parkedJob(context: Context, client: PoolClient, id: number): Promise<LockedJob> {
  const job = await lockJob(client, id);
  if (job === null || !job.hostIds.every((hostId) => isHostPermitted(context, hostId))) throw notFound(`Job ${id}`);
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
