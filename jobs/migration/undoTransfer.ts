// Undoes what a failed transfer did before the guest was on the target.
import { GuestStatus, MigrationMode, MigrationStep, PowerAction } from "../../src/core/enums.js";
import { LockCause } from "../../src/core/inventory/lock.js";
import { Activity, GuestLocation } from "../../src/core/migration/guestLocation.js";
import { DroverError } from "../../src/errors/errors.js";
import { Handover, type GuestAddress, type Removal } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import type { StorageVolume } from "../../src/hypervisor/observed.js";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { bringToRest, inSpiteOfStarts } from "../guest/atRest.js";
import { liftProtection } from "../guest/removal.js";
import { KEPT, wasBegun, type UndoResult } from "../engine/step.js";
import { markMoved } from "./commitPoint.js";
import { lookForGuest, sight } from "./lookForGuest.js";
import { rememberRemains } from "./remains.js";
import { removeVolumes } from "./clearTarget.js";
import { findStrays, strayVolumes } from "./strayVolumes.js";
import { awaitQuietSource, awaitQuietTarget, endAbandonedTunnel, ownTunnel } from "./tunnel.js";
import { unlockGuest } from "./unlockGuest.js";
import {
  finish,
  inputOf,
  modeOf,
  retryEvenRefused,
  sourceGuest,
  sourceHost,
  targetGuest,
  targetHost,
  targetOf,
  type MigrationContext,
} from "./context.js";

const PATIENCE_MS = 60_000;

/** After the commit point nothing is undone. */
export async function undoTransfer(context: MigrationContext): Promise<UndoResult> {
  const { facts } = context;
  if (!wasBegun(facts, MigrationStep.TRANSFER)) return null;
  if (facts.transferDone === true) return facts.foundMoved === true ? moved(context) : KEPT;
  const left = [await said(context, restoreSource), await said(context, removeRemains)];
  const texts = left.filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join("; ");
}

/** What could not be done is said, and does not keep the rest from being done. */
async function said(
  context: MigrationContext,
  work: (context: MigrationContext) => Promise<string | null>,
): Promise<string | null> {
  try {
    return await retryEvenRefused(context, PATIENCE_MS, () => work(context));
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof DroverError)) throw error;
    context.log.warn({ err: error }, "the rollback of a failed move failed");
    const { vmid, node } = work === restoreSource ? sourceGuest(context) : targetGuest(context);
    return `guest ${vmid} on node ${node} (${error.message})`;
  }
}

/** A transfer that was killed leaves the original locked, and a container stopped; so does a power cut with a machine. */
async function restoreSource(context: MigrationContext): Promise<string | null> {
  const atFirst = await elsewhere(context);
  if (atFirst !== null) return atFirst;
  const hypervisor = await sourceHost(context);
  const guest = sourceGuest(context);
  await context.remember({ undoing: `putting guest ${guest.vmid} on node ${guest.node} back to what it was` });
  if (!(await awaitQuietSource(context, PATIENCE_MS))) return stillAtWork(guest);
  // A transfer that was still under way at the first look may have ended well since.
  const atRest = await elsewhere(context);
  if (atRest !== null) return atRest;
  await noteHalt(context, hypervisor);
  await unlockGuest(context, { hypervisor, nodeId: inputOf(context).source.nodeId, guest });
  const { status, handover } = await hypervisor.guestStatus(guest);
  if (handover === Handover.GIVEN) await finish(context, hypervisor, await hypervisor.power(guest, PowerAction.RESUME));
  const isToRun = modeOf(context) === MigrationMode.RESTART || context.facts.wasHalted === true;
  if (isToRun && status === GuestStatus.STOPPED)
    await finish(context, hypervisor, await hypervisor.power(guest, PowerAction.START));
  return null;
}

/** @returns what is to be done about a guest that may not be on the source alone; null: it is the source's */
async function elsewhere(context: MigrationContext): Promise<string | null> {
  const where = await lookForGuest(context, false);
  if (where === GuestLocation.MOVED) return arrived(context);
  return where === GuestLocation.UNCLEAR ? unclear(context) : null;
}

/** Nobody could tell before that the guest has moved: a retry does what is missing, and copies nothing again. */
async function arrived(context: MigrationContext): Promise<string> {
  await context.remember({ foundMoved: true });
  await markMoved(context);
  return moved(context);
}

function moved(context: MigrationContext): string {
  const { vmid, node } = sourceGuest(context);
  return `guest ${vmid} on node ${node}, which has moved to ${targetOf(context).node} all the same: retry the move`;
}

function unclear(context: MigrationContext): string {
  const { vmid, node } = sourceGuest(context);
  return `guest ${vmid} on node ${node}: where the guest is must be looked at on both hosts`;
}

/** The lock kept a machine that ran from starting with its node; one whose transfer failed in order was unlocked by it. */
async function noteHalt(context: MigrationContext, hypervisor: Hypervisor): Promise<void> {
  if (modeOf(context) !== MigrationMode.LIVE) return;
  const seen = await sight(hypervisor, sourceGuest(context));
  if (seen?.lock === LockCause.MOVE && seen.activity === Activity.STOPPED) await context.remember({ wasHalted: true });
}

const stillAtWork = ({ vmid, node }: GuestAddress): string =>
  `guest ${vmid} on node ${node} (a task still works on it)`;

/** Only what this move's own transfer has left there, recognized by its tunnel, its VMID and its lock. */
async function removeRemains(context: MigrationContext): Promise<string | null> {
  const tunnel = await ownTunnel(context);
  if (tunnel === null) return null;
  const { vmid, node } = targetGuest(context);
  await context.remember({ undoing: `removing what the transfer left of guest ${vmid} on node ${node}` });
  await endAbandonedTunnel(context, tunnel);
  if (!(await awaitQuietTarget(context, PATIENCE_MS))) return stillAtWork(targetGuest(context));
  const where = await lookForGuest(context, false);
  if (where === GuestLocation.STAYED_WITH_REMAINS) await destroyRemains(context, await targetHost(context));
  else if (where !== GuestLocation.STAYED) return null;
  return strayVolumes(context);
}

async function destroyRemains(context: MigrationContext, hypervisor: Hypervisor): Promise<void> {
  const guest = targetGuest(context);
  await rememberRemains(context);
  // As long as the incomplete guest has the VMID, nobody else can have made what bears it.
  const strays = await findStrays(context);
  if (strays.own.length > 0)
    await context.remember({ leftVolumes: strays.own.map(({ volid, createdAt }) => ({ volid, createdAt })) });
  if (!strays.areAllOwn) await removeSingly(context, hypervisor, strays.own);
  const config = await unlockGuest(context, { hypervisor, nodeId: targetOf(context).nodeId, guest });
  if (config === null) return;
  await finish(context, hypervisor, await liftProtection(hypervisor, { guest, config }));
  await inSpiteOfStarts(
    () => destroyAtRest(context, hypervisor, { withUnreferenced: strays.areAllOwn }),
    () => isAtWork(hypervisor, guest),
  );
}

/** A destruction can fail although the guest is gone: then nothing runs. */
async function isAtWork(hypervisor: Hypervisor, guest: GuestAddress): Promise<boolean> {
  const seen = await sight(hypervisor, guest);
  return seen !== null && seen.activity !== Activity.STOPPED;
}

/** Once it is unlocked, anybody may start it. */
async function destroyAtRest(context: MigrationContext, hypervisor: Hypervisor, removal: Removal): Promise<void> {
  const guest = targetGuest(context);
  await bringToRest(context, { hypervisor, guest }, async () =>
    finish(context, hypervisor, await hypervisor.power(guest, PowerAction.STOP)),
  );
  await finish(context, hypervisor, await hypervisor.destroy(guest, removal));
}

/** Beside volumes that are not this move's. The right to it is one that a move does not need otherwise: what stays is named. */
async function removeSingly(
  context: MigrationContext,
  hypervisor: Hypervisor,
  volumes: readonly StorageVolume[],
): Promise<void> {
  try {
    await removeVolumes(context, hypervisor, volumes);
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.REFUSED)) throw error;
    context.log.warn({ err: error }, "volumes that a failed move left could not be removed");
  }
}
