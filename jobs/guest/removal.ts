// Removes the guest of a job from the platform: checks that it is the right one, stops it, destroys it.
import { DroverError } from "../../src/errors/errors.js";
import type { Removal } from "../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { PlatformReason, platformError } from "../../src/hypervisor/platformError.js";
import { TaskWork, type Upid } from "../../src/hypervisor/task.js";
import type { LocatedGuest } from "../../src/host/locateGuest.js";
import { makeEffect, makeEffectAgain } from "../engine/effect.js";
import type { StepContext } from "../engine/step.js";
import { bringToRest, inSpiteOfStarts, isStopped } from "./atRest.js";
import { stopGuest, stopGuestAgain } from "./power.js";
import { locateTarget } from "./target.js";

/** The effect's name in the journal. */
export const DESTROY = "destroy";

/** What the platform would refuse only after the guest was stopped is refused before. @throws DroverError platform */
export function requireRemovable({ guest, config }: LocatedGuest): void {
  const { lock, isProtected } = config;
  if (lock !== null) throw platformError(PlatformReason.LOCKED, `guest ${guest.vmid} is locked (${lock})`);
  if (isProtected) throw new DroverError("platform", `guest ${guest.vmid} is protected against removal`);
}

/**
 * What a job rolls back of its own goes also when its template, or the guest that it is a copy of, is protected.
 * @returns the platform's task; null: nothing has to be waited for
 */
export const liftProtection = async (hypervisor: Hypervisor, { guest, config }: LocatedGuest): Promise<Upid | null> =>
  config.isProtected ? hypervisor.unprotect(guest) : null;

/** Stops it if it is there and runs; one that somebody removes meanwhile needs no stop. @throws DroverError with the platform's words */
export async function stopTarget(context: StepContext): Promise<void> {
  const located = await locateTarget(context);
  if (located === null) return;
  try {
    await stopGuest(context, located.guest);
  } catch (error) {
    if (!(await isGoneAllTheSame(context, error))) throw error;
  }
}

interface Destruction extends Removal {
  /**
   * Sees to it right before the guest is destroyed that it may be: what an earlier step found may be long ago. Default: stops a
   * guest that runs by now. @throws DroverError when the guest is to stay
   */
  readonly prepare?: (context: StepContext, located: LocatedGuest) => Promise<void>;
}

/** Destroys it if it is there; waits for a destruction that an earlier attempt began. @throws DroverError with the platform's words */
export async function destroyTarget(context: StepContext, destruction: Destruction = {}): Promise<void> {
  try {
    await makeDestruction(context, destruction);
  } catch (error) {
    if (!(await isGoneAllTheSame(context, error))) throw error;
    context.log.warn({ err: error }, "the guest is gone although its destruction failed");
  }
}

const stopIfStarted = async (context: StepContext, { guest }: LocatedGuest): Promise<void> =>
  bringToRest(context, { hypervisor: await context.hypervisor(), guest }, () => stopGuestAgain(context, guest));

/** A task may fail, or be killed, when its work is done: what counts is whether the guest is there. */
async function isGoneAllTheSame(context: StepContext, error: unknown): Promise<boolean> {
  if (!(error instanceof DroverError)) return false;
  try {
    return (await locateTarget(context)) === null;
  } catch (unanswered) {
    context.signal.throwIfAborted();
    if (!(unanswered instanceof DroverError)) throw unanswered;
    return false;
  }
}

async function makeDestruction(
  context: StepContext,
  { prepare = stopIfStarted, ...removal }: Destruction,
): Promise<void> {
  const effect = {
    name: DESTROY,
    start: () => startDestruction(context, removal, prepare),
    find: () => findDestruction(context),
  };
  // How the task of an earlier attempt failed says nothing of the guest by now.
  const wasOrdered = context.facts.tasks?.[DESTROY] !== undefined;
  await inSpiteOfStarts(
    (number) => (number === 1 ? makeEffect : makeEffectAgain)(context, effect),
    async (number) => (number === 1 && wasOrdered) || (await isRunning(context)),
  );
}

async function startDestruction(
  context: StepContext,
  removal: Removal,
  prepare: NonNullable<Destruction["prepare"]>,
): Promise<Upid | null> {
  const hypervisor = await context.hypervisor();
  const located = await locateTarget(context);
  if (located === null) return null;
  await prepare(context, located);
  // A node that no longer has the guest is no proof that it is gone: it may have been moved inside its cluster meanwhile.
  return hypervisor.destroy(located.guest, removal);
}

async function findDestruction(context: StepContext): Promise<{ readonly upid: Upid | null } | null> {
  const hypervisor = await context.hypervisor();
  const located = await locateTarget(context);
  if (located === null) return { upid: null };
  const { node, vmid } = located.guest;
  const running = (await hypervisor.activeTasks(node, vmid)).find(({ work }) => work === TaskWork.DESTROY);
  return running === undefined ? null : { upid: running.upid };
}

async function isRunning(context: StepContext): Promise<boolean> {
  const located = await locateTarget(context);
  return located !== null && !(await isStopped(await context.hypervisor(), located.guest));
}
