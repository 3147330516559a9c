// Removes what a failed installation made on the platform, and only that.
import { configOrNull } from "../../src/host/locateGuest.js";
import { GuestType, PowerAction } from "../../src/core/enums.js";
import { LockCause } from "../../src/core/inventory/lock.js";
import { DroverError } from "../../src/errors/errors.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { isPlatformError, platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import type { Upid } from "../../src/hypervisor/task.js";
import { taskEnd } from "../../src/hypervisor/taskEnd.js";
import { taskError } from "../engine/effect.js";
import { retryTransient } from "../engine/retry.js";
import { wasBegun, type StepContext } from "../engine/step.js";
import type { InstallContext } from "./installation.js";
import { bringToRest, inSpiteOfStarts, isStopped } from "./atRest.js";
import { INSTALL } from "./install.js";
import { liftProtection } from "./removal.js";
import { isStillOwn, wasInstalledEarlier } from "./stillOwn.js";

const PATIENCE_MS = 15_000;
const TASK_MS = 10 * 60 * 1000;
/** The locks of a guest that is being made. */
const MAKING: readonly (LockCause | null)[] = [LockCause.COPY, LockCause.CREATION];

/** @returns what could not be removed, in words for people; null when nothing is left */
export async function rollBackMade(context: InstallContext, guest: GuestAddress): Promise<string | null> {
  if (!wasBegun(context.facts, INSTALL)) return null;
  try {
    // The whole removal is what is tried again, not each of its questions.
    const hypervisor = await context.services.hypervisors.of(context.job.hostId ?? -1);
    await retryTransient(context, { patienceMs: PATIENCE_MS }, () => remove(context, hypervisor, guest));
    return null;
  } catch (error) {
    context.signal.throwIfAborted();
    context.log.warn({ err: error }, "the guest could not be removed");
    return `${guestWords(guest)} (${error instanceof DroverError ? error.message : "internal error"})`;
  }
}

/** Names a guest for people. */
export const guestWords = ({ type, vmid, node }: GuestAddress): string =>
  `${type === GuestType.QEMU ? "VM" : "container"} ${vmid} on node ${node}`;

async function remove(context: InstallContext, hypervisor: Hypervisor, guest: GuestAddress): Promise<void> {
  await endMaking(context, hypervisor, guest);
  const config = await configOrNull(hypervisor, guest);
  if (config === null) return;
  // A failed creation leaves nothing of its own; what is there without being ours was made by somebody else.
  if (!(await isOurs(context, hypervisor, config))) return requireNotHalfMade(context, config);
  await context.remember({ undoing: `removing ${guestWords(guest)}` });
  await follow(context, hypervisor, await liftProtection(hypervisor, { guest, config }));
  const isKnown = await destroyUnlessGone(context, hypervisor, guest);
  if (!isKnown && (await configOrNull(hypervisor, guest)) !== null)
    throw new DroverError("platform", "it is still there");
}

/** A destruction can fail although the guest is gone. @returns whether it is known to have ended well @throws its error, when the guest is there */
async function destroyUnlessGone(
  context: InstallContext,
  hypervisor: Hypervisor,
  guest: GuestAddress,
): Promise<boolean> {
  try {
    return await inSpiteOfStarts(
      () => destroyAtRest(context, hypervisor, guest),
      () => runs(hypervisor, guest),
    );
  } catch (error) {
    if (!(error instanceof DroverError) || (await configOrNull(hypervisor, guest)) !== null) throw error;
    context.log.warn({ err: error }, "the guest is gone although its destruction failed");
    return true;
  }
}

/** One that is gone does not run. */
async function runs(hypervisor: Hypervisor, guest: GuestAddress): Promise<boolean> {
  try {
    return !(await isStopped(hypervisor, guest));
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.NOT_FOUND)) throw error;
    return false;
  }
}

/** A creation can fail while its guest is being started. @returns whether the destruction is known to have ended well */
async function destroyAtRest(context: InstallContext, hypervisor: Hypervisor, guest: GuestAddress): Promise<boolean> {
  await bringToRest(context, { hypervisor, guest }, async () => {
    await follow(context, hypervisor, await hypervisor.power(guest, PowerAction.STOP));
  });
  return follow(context, hypervisor, await hypervisor.destroy(guest));
}

const isOurs = async (context: InstallContext, hypervisor: Hypervisor, config: GuestConfig): Promise<boolean> =>
  (context.facts.made === true && !wasInstalledEarlier(context)) || isStillOwn(context, hypervisor, config);

/** The platform removes what it could not finish, unless its task was killed: that has no mark yet, and its lock is the platform's. */
function requireNotHalfMade(context: StepContext, { lock, lockCause }: GuestConfig): void {
  if (context.facts.tasks?.[INSTALL] === undefined || !MAKING.includes(lockCause)) return;
  throw platformError(PlatformReason.REFUSED, `left half made, locked: ${lock}`);
}

/** What is still being made is stopped first: the platform then removes it itself. */
async function endMaking(context: StepContext, hypervisor: Hypervisor, guest: GuestAddress): Promise<void> {
  const upid = context.facts.tasks?.[INSTALL];
  if (upid === undefined) return;
  try {
    if (!(await hypervisor.task(upid)).running) return;
    await context.remember({ undoing: `ending the task that makes ${guestWords(guest)}` });
    await hypervisor.stopTask(upid);
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.NOT_FOUND)) throw error;
    return;
  }
  await taskEnd(hypervisor, upid, { signal: context.signal, timeoutMs: TASK_MS });
}

/** @returns whether it is known to have ended well; a host may have forgotten the task. @throws DroverError with the platform's words */
async function follow(context: StepContext, hypervisor: Hypervisor, upid: Upid | null): Promise<boolean> {
  if (upid === null) return true;
  const outcome = await taskEnd(hypervisor, upid, { signal: context.signal, timeoutMs: TASK_MS });
  if (outcome?.succeeded === false) throw taskError(outcome);
  return outcome !== null;
}
