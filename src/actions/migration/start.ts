// Starts the move of a guest: plans it again, and records it together with everything that it reserves.
import type { PoolClient } from "pg";
import type { Context } from "../../context/context.js";
import { JobKind } from "../../core/enums.js";
import { guestLock } from "../../core/guest/lock.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError } from "../../errors/errors.js";
import * as placedGuests from "../../store/guest/placed.js";
import * as migrations from "../../store/migration.js";
import { takeForMove } from "../../store/held/take.js";
import { guestBusy } from "../guest/findGuest.js";
import { setJobInput } from "../../store/job/job.js";
import { insertJob } from "../../job/insertJob.js";
import * as capacity from "../../store/capacity.js";
import { takeVmid, vmidTaken } from "../../placement/takeVmid.js";
import { freezeMove } from "../../migration/freezeMove.js";
import type { GatheredMove } from "../../migration/gather.js";
import { takePlannedAddress } from "../../migration/plannedAddress.js";
import { reserveRoom } from "../../migration/reserveRoom.js";
import { planMigration, type MigrationRequest, type PlannedMove } from "../../migration/plan.js";

/** The run that a move belongs to. */
interface RunOfMove {
  readonly evacuationId: number | null;
  readonly balanceRunId: number | null;
}

const NO_RUN: RunOfMove = { evacuationId: null, balanceRunId: null };

/**
 * @returns the id of the migration
 * @throws DroverError as `planMigration`; conflict with the code of the first check that blocks, `SAFETY_COPY`,
 *   `GUEST_BUSY`, `PLAN_OUTDATED` when the guest has changed while it was planned, `VMID_TAKEN` when that VMID was asked for,
 *   `NOT_ENOUGH_MEMORY` and `NOT_ENOUGH_STORAGE` also when others took the room since the plan was made, `ADDRESS_TAKEN` when the guest was to keep its address, `IP_ZONE_FULL`
 */
export async function startMigration(context: Context, input: MigrationRequest): Promise<number> {
  const planned = await planMigration(context, input);
  return startMove(context, planned, NO_RUN);
}

/** Starts a planned move; the plan must be fresh. @throws DroverError conflict */
export async function startMove(context: Context, planned: PlannedMove, run: RunOfMove): Promise<number> {
  refuseBlocked(planned);
  const { migrationId, jobId } = await inTransaction(context.pool, (client) =>
    record(context, client, { planned, run }),
  );
  context.jobs.wake({ id: jobId, kind: JobKind.MIGRATION });
  return migrationId;
}

function refuseBlocked({ plan, move }: PlannedMove): void {
  if (move.guest.safetyCopy) {
    const message = `guest ${move.guest.vmid} is a safety copy: it can only be deleted`;
    throw new DroverError("conflict", message, { reason: "SAFETY_COPY" });
  }
  const [first] = plan.problems;
  if (first === undefined) return;
  const message = plan.problems.map((problem) => problem.message).join("; ");
  throw new DroverError("conflict", message, { reason: first.code });
}

interface Recording {
  readonly planned: PlannedMove;
  readonly run: RunOfMove;
}

/** One transaction: what the move needs for itself is taken with its job, and comes back with its end. */
async function record(
  context: Context,
  client: PoolClient,
  { planned: looked, run }: Recording,
): Promise<{ migrationId: number; jobId: number }> {
  const { guest, source } = looked.move;
  await capacity.lockHost(client, looked.plan.targetHostId);
  await holdPlanned(client, looked.move);
  const planned = await withFreeVmid(client, looked);
  const jobId = await insertJob(context, client, {
    kind: JobKind.MIGRATION,
    hostId: guest.hostId,
    node: source.guest.node,
    vmid: guest.vmid,
    guestId: guest.id,
    secrets: null,
  });
  await takeLocks(client, planned, jobId);
  const ipPlan = await takePlannedAddress(client, planned.plan.ipPlan, jobId);
  const migrationId = await insertMigration(client, planned, { jobId, run });
  const frozen = freezeMove(planned, { migrationId, ipPlan });
  await reserveRoom(client, context.clock, { ...frozen, jobId });
  await setJobInput(client, jobId, frozen);
  return { migrationId, jobId };
}

/**
 * Keeps the guest as it was planned until the transaction ends. Told before the VMID: a move of the same guest to the same host
 * that began a moment ago has taken that too.
 */
async function holdPlanned(client: PoolClient, { guest, records }: GatheredMove): Promise<void> {
  const { vmid } = guest;
  if (!(await placedGuests.lock(client, guest)))
    throw outdated(`guest ${vmid} is no longer where it was when its move was planned`);
  const forwardIds = records.forwards.map(({ id }) => id);
  const changes = await placedGuests.changes(client, guest, forwardIds);
  if (changes.isBusy) throw guestBusy(vmid);
  if (changes.hasNewForwards) throw outdated(`guest ${vmid} has got port forwards since its move was planned`);
}

const outdated = (message: string): DroverError => new DroverError("conflict", message, { reason: "PLAN_OUTDATED" });

/** The service's own choice may be another than the plan showed, when somebody else took that one meanwhile. */
async function withFreeVmid(client: PoolClient, planned: PlannedMove): Promise<PlannedMove> {
  const { plan, request } = planned;
  const choice = { vmid: plan.targetVmid, asked: request.targetVmid !== null };
  return { ...planned, plan: { ...plan, targetVmid: await takeVmid(client, plan.targetHostId, choice) } };
}

async function takeLocks(client: PoolClient, { plan, move }: PlannedMove, jobId: number): Promise<void> {
  const { guest } = move;
  const [own, there] = [guestLock(guest.hostId, guest.vmid), guestLock(plan.targetHostId, plan.targetVmid)];
  const ends = { jobId, keys: [own, there], hostId: plan.targetHostId, vmid: plan.targetVmid };
  const locked = await takeForMove(client, ends);
  if (!locked.has(own)) throw guestBusy(guest.vmid);
  if (!locked.has(there)) throw vmidTaken(plan.targetVmid);
}

const insertMigration = (
  client: PoolClient,
  { plan, move: { guest, source } }: PlannedMove,
  { jobId, run }: { jobId: number; run: RunOfMove },
): Promise<number> =>
  migrations.insert(client, {
    jobId,
    guest,
    source: { hostId: guest.hostId, node: source.guest.node, vmid: guest.vmid },
    target: { hostId: plan.targetHostId, node: plan.targetNode, vmid: plan.targetVmid },
    mode: plan.mode,
    bytesTotal: plan.summary.bytesToCopy,
    warnings: plan.warnings.map(({ code, message }) => `${code}: ${message}`),
    ...run,
  });
