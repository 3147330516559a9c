// Queues the deletion of safety copies: those that someone names, and those whose time has come.
import type { PoolClient } from "pg";
import { isHostPermitted, permit } from "../../access/permit.js";
import type { Context, Services } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { JobKind } from "../../core/enums.js";
import * as guests from "../../store/guest/known.js";
import type { NamedCopy } from "../../store/guest/known.js";
import { insertCopyDeletions } from "../../store/held/take.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, notFound } from "../../errors/errors.js";
import { versionOf } from "../../job/kinds.js";
import { queueOn, type QueuedJob } from "./queueGuestJob.js";

/**
 * All of them or none.
 * @returns their jobs, in the order of the ids
 * @throws DroverError forbidden, notFound (also outside the scope), conflict (`NOT_A_SAFETY_COPY`, `GUEST_BUSY`,
 *   `HOST_INACTIVE`)
 */
export async function deleteSafetyCopies(context: Context, guestIds: readonly number[]): Promise<QueuedJob[]> {
  permit(context, Permission.HOSTS_MANAGE);
  const ids = [...new Set(guestIds)];
  const queued = await inTransaction(context.pool, (client) => queueNamed(context, client, ids));
  for (const { jobId: id } of queued) context.jobs.wake({ id, kind: JobKind.SAFETY_COPY_DELETE });
  return queued;
}

async function queueNamed(context: Context, client: PoolClient, ids: readonly number[]): Promise<QueuedJob[]> {
  const found = new Map((await guests.holdCopies(client, ids)).map((copy) => [copy.id, copy]));
  const queued: QueuedJob[] = [];
  for (const id of ids) {
    const copy = found.get(id);
    if (copy === undefined || !isHostPermitted(context, copy.hostId)) throw notFound(`Guest ${id}`);
    refuseOriginal(copy);
    queued.push(await queueOn(context, client, { kind: JobKind.SAFETY_COPY_DELETE, guest: copy, secrets: null }));
  }
  return queued;
}

function refuseOriginal({ vmid, safetyCopy }: NamedCopy): void {
  if (!safetyCopy)
    throw new DroverError("conflict", `guest ${vmid} is no safety copy`, { reason: "NOT_A_SAFETY_COPY" });
}

/**
 * Queues the deletion of every copy that is due. Copies without a date are kept until an operator deletes them; busy ones, and
 * those of hosts that are switched off, wait for the next time.
 * @returns how many
 */
export async function pruneSafetyCopies({
  pool,
  clock,
  jobs,
}: Pick<Services, "pool" | "clock" | "jobs">): Promise<number> {
  const ids = await insertCopyDeletions(pool, clock.now(), versionOf(JobKind.SAFETY_COPY_DELETE));
  for (const id of ids) jobs.wake({ id, kind: JobKind.SAFETY_COPY_DELETE });
  return ids.length;
}
