// Undoes what a failed move did before the guest was on the target; after that point nothing is undone.
import { GuestStatus, MigrationMode, MigrationStep, PowerAction } from "../../src/core/enums.js";
import { Activity, Whereabouts } from "../../src/core/migration/whereabouts.js";
import { DroverError } from "../../src/errors.js";
import { Handover, type GuestAddress } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { liftProtection } from "../guest/removal.js";
import { wasBegun } from "../step.js";
import { markMoved } from "./commitPoint.js";
import { removeToken } from "./finished.js";
import { lookForGuest, sight } from "./lookForGuest.js";
import { rememberRemains } from "./remains.js";
import { strayVolumes } from "./strayVolumes.js";
import { awaitQuietSource, awaitQuietTarget, endAbandonedTunnel, ownTunnel } from "./tunnel.js";
import { unlockGuest } from "./unlockGuest.js";
import {
  finish,
  inputOf,
  modeOf,
  persistently,
  sourceGuest,
  sourceHost,
  targetGuest,
  targetHost,
  targetOf,
  type MigrationWorld,
} from "./world.js";

const PATIENCE_MS = 60_000;

/** @returns what is left behind, or null */
export async function undo(world: MigrationWorld): Promise<string | null> {
  const isUntouched = world.facts.transferDone === true || !wasBegun(world.facts, MigrationStep.TRANSFER);
  const left = isUntouched ? [] : [await said(world, restoreSource), await said(world, removeRemains)];
  await world.remember({ undoing: "removing the access that the move had to the target" });
  await removeToken(world);
  const texts = left.filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join("; ");
}

/** What could not be done is said, and does not keep the rest from being done. */
async function said(
  world: MigrationWorld,
  work: (world: MigrationWorld) => Promise<string | null>,
): Promise<string | null> {
  try {
    return await persistently(world, PATIENCE_MS, () => work(world));
  } catch (error) {
    world.signal.throwIfAborted();
    if (!(error instanceof DroverError)) throw error;
    world.log.warn({ err: error }, "a failed move could not be taken back");
    const { vmid, node } = work === restoreSource ? sourceGuest(world) : targetGuest(world);
    return `guest ${vmid} on node ${node} (${error.message})`;
  }
}

/** A transfer that was killed leaves the original locked, and a container stopped; so does a power cut with a machine. */
async function restoreSource(world: MigrationWorld): Promise<string | null> {
  const where = await lookForGuest(world, false);
  if (where === Whereabouts.MOVED) return arrived(world);
  if (where === Whereabouts.UNCLEAR) return unclear(world);
  const hypervisor = await sourceHost(world);
  const guest = sourceGuest(world);
  await world.remember({ undoing: `putting guest ${guest.vmid} on node ${guest.node} back to what it was` });
  if (!(await awaitQuietSource(world, PATIENCE_MS))) return stillAtWork(guest);
  await noteHalt(world, hypervisor);
  await unlockGuest(world, { hypervisor, nodeId: inputOf(world).source.nodeId, guest });
  const { status, handover } = await hypervisor.guestStatus(guest);
  if (handover === Handover.GIVEN) await finish(world, hypervisor, await hypervisor.power(guest, PowerAction.RESUME));
  const isToRun = modeOf(world) === MigrationMode.RESTART || world.facts.wasHalted === true;
  if (isToRun && status === GuestStatus.STOPPED)
    await finish(world, hypervisor, await hypervisor.power(guest, PowerAction.START));
  return null;
}

/** Nobody could tell before that the guest has moved: a retry does what is missing, and copies nothing again. */
async function arrived(world: MigrationWorld): Promise<string> {
  await markMoved(world);
  const { vmid, node } = sourceGuest(world);
  return `guest ${vmid} on node ${node}, which has moved to ${targetOf(world).node} all the same: retry the move`;
}

function unclear(world: MigrationWorld): string {
  const { vmid, node } = sourceGuest(world);
  return `guest ${vmid} on node ${node}: where the guest is must be looked at on both hosts`;
}

/** The lock kept a machine that ran from starting with its node; one whose transfer failed in order was unlocked by it. */
async function noteHalt(world: MigrationWorld, hypervisor: Hypervisor): Promise<void> {
  if (modeOf(world) !== MigrationMode.LIVE) return;
  const seen = await sight(hypervisor, sourceGuest(world));
  if (seen?.lock === "migrate" && seen.activity === Activity.STOPPED) await world.remember({ wasHalted: true });
}

const stillAtWork = ({ vmid, node }: GuestAddress): string =>
  `guest ${vmid} on node ${node} (a task still works on it)`;

/** Only what this move's own transfer has left there, recognized by its tunnel, its VMID and its lock. */
async function removeRemains(world: MigrationWorld): Promise<string | null> {
  const tunnel = await ownTunnel(world);
  if (tunnel === null) return null;
  const { vmid, node } = targetGuest(world);
  await world.remember({ undoing: `removing what the transfer left of guest ${vmid} on node ${node}` });
  await endAbandonedTunnel(world, tunnel);
  if (!(await awaitQuietTarget(world, PATIENCE_MS))) return stillAtWork(targetGuest(world));
  const where = await lookForGuest(world, false);
  if (where === Whereabouts.STAYED_WITH_REMAINS) await destroyRemains(world, await targetHost(world));
  else if (where !== Whereabouts.STAYED) return null;
  return strayVolumes(world);
}

async function destroyRemains(world: MigrationWorld, hypervisor: Hypervisor): Promise<void> {
  const guest = targetGuest(world);
  await rememberRemains(world);
  const config = await unlockGuest(world, { hypervisor, nodeId: targetOf(world).nodeId, guest });
  const seen = await sight(hypervisor, guest);
  if (config === null || seen === null) return;
  await finish(world, hypervisor, await liftProtection(hypervisor, { guest, config }));
  if (seen.activity !== Activity.STOPPED)
    await finish(world, hypervisor, await hypervisor.power(guest, PowerAction.STOP));
  await finish(world, hypervisor, await hypervisor.destroy(guest));
}
