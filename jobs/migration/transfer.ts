// Moves the guest: starts the platform's transfer once, joins it after a crash, and checks afterwards where the guest really is.
import { MigrationStep } from "../../src/core/enums.js";
import { GuestLocation } from "../../src/core/migration/guestLocation.js";
import { DroverError } from "../../src/errors/errors.js";
import type { RemoteMigration } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { TaskWork, type Upid } from "../../src/hypervisor/task.js";
import type { TransferEnd } from "../../src/hypervisor/transfer.js";
import { forgetEffect, LATE_START_MS, startOrJoin, type SingleEffect, type Trace } from "../engine/effect.js";
import { pastLocks } from "../engine/retry.js";
import { wasBegun, type Step } from "../engine/step.js";
import { markMoved } from "./commitPoint.js";
import { clearTarget } from "./clearTarget.js";
import { targetEndpoint } from "./endpoint.js";
import { followTransfer } from "./followTransfer.js";
import { lookForGuest } from "./lookForGuest.js";
import { undoTransfer } from "./undoTransfer.js";
import { tokenOf } from "./targetToken.js";
import {
  inputOf,
  modeOf,
  retryTransient,
  retryEvenRefused,
  sourceGuest,
  sourceHost,
  type MigrationFacts,
  type MigrationContext,
} from "./context.js";

/** Hosts that do not answer are waited for: only they know what became of the guest. */
const PATIENCE_MS = 30 * 60_000;
/** Retry budget for queries made before the transfer starts. */
const LOOK_MS = 20_000;

export const transfer: Step<MigrationFacts> = {
  name: MigrationStep.TRANSFER,
  weight: 88,
  async run(context) {
    // Found only during the rollback: a retry goes on from there.
    if (context.facts.transferDone === true) return {};
    const host = await sourceHost(context);
    await pastLocks(context, () => moveGuest(context, host));
    warnOfDetour(context);
    await markMoved(context);
    return { transferDone: true };
  },
  undo: undoTransfer,
};

/** Of an attempt that a lock kept from beginning, nothing stays on record. @throws DroverError when the guest has not moved */
async function moveGuest(context: MigrationContext, host: Hypervisor): Promise<void> {
  const end = await followToEnd(context, host, await orderTransfer(context, host));
  const where = await retryEvenRefused(context, PATIENCE_MS, () => lookForGuest(context, end.succeeded));
  if (where !== GuestLocation.MOVED) {
    const isUnbegun = end.failure === PlatformReason.LOCKED && where === GuestLocation.STAYED;
    if (isUnbegun) await forgetEffect(context, MigrationStep.TRANSFER);
    throw notMoved(end, isUnbegun);
  }
  if (!end.succeeded && end.isKnown) context.warn(`the guest has moved, but its transfer ended with: ${end.reason}`);
}

async function orderTransfer(context: MigrationContext, host: Hypervisor): Promise<Upid> {
  const upid = await startOrJoin(context, transferOf(context, host));
  if (upid === null) throw new Error("a transfer has no task");
  return upid;
}

function warnOfDetour(context: MigrationContext): void {
  const { landed } = context.facts;
  if (landed === undefined) return;
  const { node } = inputOf(context).target;
  context.warn(
    `the guest is on ${landed.node}, not on ${node}: that is the node which answers at the address of ${node}`,
  );
}

const transfersOf = async (context: MigrationContext, host: Hypervisor) => {
  const { node, vmid } = sourceGuest(context);
  return (await host.guestTasks(node, vmid)).filter((task) => task.work === TaskWork.SEND);
};

/** The tasks of this guest's transfers that were there before ours; its VMID is locked against all others. */
async function earlierTasks(context: MigrationContext, host: Hypervisor): Promise<readonly Upid[] | undefined> {
  if (wasBegun(context.facts, MigrationStep.TRANSFER)) return context.facts.tasksBefore;
  return (await retryTransient(context, LOOK_MS, () => transfersOf(context, host))).map(({ upid }) => upid);
}

/** A transfer that was not there before ours was begun. */
async function findOwn(context: MigrationContext, host: Hypervisor): Promise<Trace | null> {
  const before = new Set(context.facts.tasksBefore);
  const [own] = (await transfersOf(context, host)).filter(({ upid }) => !before.has(upid));
  return own === undefined ? null : { upid: own.upid };
}

/** The transfer as an effect that is never made twice. */
const transferOf = (context: MigrationContext, host: Hypervisor): SingleEffect => ({
  name: MigrationStep.TRANSFER,
  async prepare() {
    const request = await requestOf(context);
    await retryTransient(context, LOOK_MS, () => clearTarget(context));
    const tasksBefore = await earlierTasks(context, host);
    return {
      start: () => requestTransfer(context, host, request),
      findings: { ...(tasksBefore && { tasksBefore }), targetWasClear: true },
    };
  },
  find: () => retryEvenRefused(context, LATE_START_MS, () => findOwn(context, host)),
});

/** What the source refuses for a lock has not begun: it is on record no longer. A look that a lock refuses says nothing of the transfer. */
async function requestTransfer(context: MigrationContext, host: Hypervisor, request: RemoteMigration): Promise<Upid> {
  try {
    return await host.migrateRemotely(request);
  } catch (error) {
    if (isPlatformError(error, PlatformReason.LOCKED)) await forgetEffect(context, MigrationStep.TRANSFER);
    throw error;
  }
}

async function requestOf(context: MigrationContext): Promise<RemoteMigration> {
  const { storages, bridges, target, bandwidthMib } = inputOf(context);
  const [endpoint, { token, secret }] = await Promise.all([
    retryTransient(context, LOOK_MS, () => targetEndpoint(context)),
    tokenOf(context),
  ]);
  const [guest, mode] = [sourceGuest(context), modeOf(context)];
  return { guest, mode, endpoint, token, secret, storages, bridges, targetVmid: target.vmid, bandwidthMib };
}

/** Another transfer of the guest that runs after all is followed too: nothing is judged while one lives. */
async function followToEnd(context: MigrationContext, host: Hypervisor, upid: Upid): Promise<TransferEnd> {
  const end = await followTransfer(context, host, upid);
  const running = (await retryEvenRefused(context, PATIENCE_MS, () => transfersOf(context, host))).find(
    (task) => task.running,
  );
  return running === undefined ? end : followToEnd(context, host, running.upid);
}

function notMoved(end: TransferEnd, isLocked: boolean): DroverError {
  const how = end.succeeded
    ? "the transfer ended well, but the guest is not complete on the target any longer"
    : `the transfer failed: ${end.reason}`;
  return new DroverError("platform", how, { reason: isLocked ? PlatformReason.LOCKED : "TRANSFER_FAILED" });
}
