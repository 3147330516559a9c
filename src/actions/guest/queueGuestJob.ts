// Queues a job on a guest that exists and locks the guest for it, in one transaction.
import type { PoolClient } from "pg";
import type { Context } from "../../context/context.js";
import type { JobKind } from "../../core/enums.js";
import { guestLock } from "../../core/guest/lock.js";
import { inTransaction } from "../../db/transaction.js";
import { guestBusy, holdGuest, type FoundGuest, type GuestReference } from "./findGuest.js";
import { hostInactive } from "../host/hostConnection.js";
import { insertJob } from "../../job/insertJob.js";
import * as locks from "../../store/lock.js";

/** A job that was queued. */
export interface QueuedJob {
  readonly queued: true;
  readonly jobId: number;
  readonly vmid: number;
}

interface GuestOrder {
  readonly kind: JobKind;
  readonly reference: GuestReference;
  /** Refuses a guest that this may not be done to; called while its row is held. */
  readonly check?: (guest: FoundGuest) => void;
  readonly input?: unknown;
  /** Null: the job needs none. */
  readonly secrets: unknown;
}

/** @throws DroverError `forbidden`, `notFound`, `conflict` (`GUEST_BUSY`, `HOST_INACTIVE`), and what `check` throws */
export async function queueGuestJob(context: Context, order: GuestOrder): Promise<QueuedJob> {
  const queued = await inTransaction(context.pool, (client) => lockAndQueue(context, client, order));
  context.jobs.wake({ id: queued.jobId, kind: order.kind });
  return queued;
}

async function lockAndQueue(context: Context, client: PoolClient, order: GuestOrder): Promise<QueuedJob> {
  const { kind, reference, check, input, secrets } = order;
  const guest = await holdGuest(context, client, reference);
  check?.(guest);
  return queueOn(context, client, { kind, guest, input, secrets });
}

/** A job on a guest whose row is held. */
interface JobOnGuest extends Pick<GuestOrder, "kind" | "input" | "secrets"> {
  readonly guest: Pick<FoundGuest, "id" | "hostId" | "node" | "vmid" | "switchedOffHost">;
}

/**
 * Queues the job and locks the guest for it; the caller commits, then wakes a worker.
 * @throws DroverError `conflict` (`GUEST_BUSY`, `HOST_INACTIVE`)
 */
export async function queueOn(
  context: Context,
  client: PoolClient,
  { kind, guest, input, secrets }: JobOnGuest,
): Promise<QueuedJob> {
  const { id: guestId, hostId, node, vmid, switchedOffHost } = guest;
  if (switchedOffHost !== null) throw hostInactive(switchedOffHost);
  const jobId = await insertJob(context, client, { kind, hostId, node, vmid, guestId, input, secrets });
  const locked = await locks.takeForJob(client, jobId, [guestLock(hostId, vmid)]);
  if (locked.size === 0) throw guestBusy(vmid);
  return { queued: true, jobId, vmid };
}
