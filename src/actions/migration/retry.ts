// Restarts a migration that failed or ended with warnings: from the beginning, or, once the guest is on the target, with what is missing.
import type { PoolClient } from "pg";
import { isHostPermitted, permit } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { JobKind, MigrationStatus, MigrationStep } from "../../core/enums.js";
import { guestLock } from "../../core/guest/lock.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, notFound } from "../../errors/errors.js";
import { guestBusy } from "../guest/findGuest.js";
import { continueJob, setJobInput } from "../../store/job/job.js";
import { unparkJob } from "../../store/job/parked.js";
import { insertJob } from "../../job/insertJob.js";
import { requireReadable } from "../job/parkedJob.js";
import { isMoveWithinReach } from "../../reads/models/migration.js";
import * as addresses from "../../store/address.js";
import * as locks from "../../store/lock.js";
import * as migrations from "../../store/migration.js";
import * as vmids from "../../store/vmid.js";
import * as capacity from "../../store/capacity.js";
import { takeVmid } from "../../placement/takeVmid.js";
import { openStored, type StoredJob } from "../../job/kinds.js";
import { Unreadable, type StoredJson } from "../../job/shape.js";
import { migrationInput, type FrozenMigration } from "../../job/migrationInput.js";
import { addressTaken, takePlannedAddress } from "../../migration/plannedAddress.js";
import { reserveRoom } from "../../migration/reserveRoom.js";

/** With what its job has stored. */
interface EndedMigration extends StoredJob {
  readonly id: number;
  readonly jobId: number;
  readonly transferDone: boolean;
}

const RETRYABLE: readonly MigrationStatus[] = [MigrationStatus.FAILED, MigrationStatus.DONE_WITH_WARNINGS];

/**
 * The plan stays as it was, but for a VMID and an address that the service chose and somebody else has by now. Before the transfer
 * everything is checked again, after it only what failed or is missing is done.
 * @throws DroverError notFound (also when either end is out of scope), forbidden, conflict (`NOT_RETRYABLE`, `UNREADABLE`, `GUEST_BUSY`,
 *   `VMID_TAKEN`, `NOT_ENOUGH_MEMORY`, `NOT_ENOUGH_STORAGE`, `ADDRESS_TAKEN`, `IP_ZONE_FULL`, `IP_ZONE_MISSING`)
 */
export async function retryMigration(context: Context, migrationId: number): Promise<void> {
  permit(context, Permission.HOSTS_MANAGE);
  const jobId = await inTransaction(context.pool, async (client) => {
    const found = await migrations.lock(client, migrationId);
    if (found === null || !isVisible(context, found)) throw notFound(`Migration ${migrationId}`);
    const { jobId: endedJobId, kind, version, status } = found;
    if (!RETRYABLE.includes(status) || endedJobId === null || kind === null || version === null)
      throw notRetryable(migrationId, "has not failed");
    const ended = { ...found, jobId: endedJobId, kind, version };
    if (found.parked) return resume(client, ended);
    if (!(await isMoveWithinReach(client, migrationId)))
      throw notRetryable(migrationId, "is no longer the last one of a guest that is there, to a host that is there");
    return restart(context, client, ended);
  });
  context.jobs.wake({ id: jobId, kind: JobKind.MIGRATION });
}

const isVisible = (
  context: Context,
  { sourceHostId, targetHostId }: { readonly sourceHostId: number; readonly targetHostId: number },
): boolean => isHostPermitted(context, sourceHostId) && isHostPermitted(context, targetHostId);

const notRetryable = (id: number, why: string): DroverError =>
  new DroverError("conflict", `migration ${id} ${why}`, { reason: "NOT_RETRYABLE" });

/** The job itself goes on: it holds what it needs, and its transfer may be under way. */
async function resume(client: PoolClient, ended: EndedMigration): Promise<number> {
  requireReadable(ended);
  await unparkJob(client, ended.jobId);
  return ended.jobId;
}

/** @throws DroverError conflict `NOT_RETRYABLE` */
function stored(ended: EndedMigration): StoredJson {
  try {
    return openStored(ended);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw notRetryable(ended.id, `has stored what this version cannot read (${error.message}): plan the move again`);
  }
}

async function restart(context: Context, client: PoolClient, ended: EndedMigration): Promise<number> {
  const { input: plan, facts } = stored(ended);
  const planned = migrationInput.parse(plan);
  await capacity.lockHost(client, planned.target.hostId);
  const { source, target, guestId } = planned;
  const vmid = ended.transferDone ? target.vmid : await vmidAgain(client, planned);
  const jobId = await insertJob(context, client, { ...source, kind: JobKind.MIGRATION, guestId, secrets: null });
  const keys = [guestLock(source.hostId, source.vmid), guestLock(target.hostId, vmid)];
  const locked = await locks.takeForJob(client, jobId, keys);
  if (locked.size < keys.length) throw guestBusy(source.vmid);
  const input = ended.transferDone
    ? await takeAddressAgain(client, planned, jobId)
    : await reserveAgain(context, client, { jobId, planned: { ...planned, target: { ...target, vmid } } });
  await setJobInput(client, jobId, input);
  if (ended.transferDone)
    await continueJob(client, { from: ended.jobId, to: jobId, facts, neverRepeated: MigrationStep.TRANSFER });
  await migrations.restart(client, { id: ended.id, jobId, targetVmid: vmid });
  return jobId;
}

/** Requested values must be free again; values that the service chose are chosen again. */
const vmidAgain = (client: PoolClient, { target, vmidAsked }: FrozenMigration): Promise<number> =>
  takeVmid(client, target.hostId, { vmid: target.vmid, asked: vmidAsked });

/** Nothing is on the target yet: an address that somebody else has by now gives way to the next that is free. */
async function reserveAgain(
  context: Context,
  client: PoolClient,
  { jobId, planned: input }: { readonly jobId: number; readonly planned: FrozenMigration },
): Promise<FrozenMigration> {
  const { target, ipPlan } = input;
  await vmids.reserve(client, { hostId: target.hostId, vmid: target.vmid, jobId });
  await reserveRoom(client, context.clock, { ...input, jobId });
  if (await takeSameAddress(client, input, jobId)) return input;
  return { ...input, ipPlan: await takePlannedAddress(client, ipPlan, jobId) };
}

/** The guest may be configured with it by now: only this one does. */
async function takeAddressAgain(client: PoolClient, input: FrozenMigration, jobId: number): Promise<FrozenMigration> {
  if (await takeSameAddress(client, input, jobId)) return input;
  throw addressTaken(input.ipPlan);
}

/** The failed job has given its address back, unless the guest has it already. @returns whether it is had again */
async function takeSameAddress(
  client: PoolClient,
  { ipPlan, guestId }: FrozenMigration,
  jobId: number,
): Promise<boolean> {
  if (ipPlan.zoneId === null || ipPlan.newAddress === null) return true;
  const { zoneId, newAddress: address } = ipPlan;
  return addresses.takeAgainForJob(client, { zoneId, address, jobId, guestId });
}
