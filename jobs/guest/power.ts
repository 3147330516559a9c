// Starts and stops the guest of a job.
import { pauseUnlessAborted } from "../../src/concurrency/pause.js";
import { GuestStatus, PowerAction } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import { isRequestAlone } from "../../src/hypervisor/task.js";
import { makeEffect, makeEffectAgain, awaitLateStart } from "../engine/effect.js";
import type { StepContext } from "../engine/step.js";

/** Starts it unless it runs; a stop that was lost before does not come after. @throws DroverError with the platform's words */
export async function startGuest(context: StepContext, guest: GuestAddress): Promise<void> {
  await awaitLateStart(context, PowerAction.STOP);
  await bringTo(context, guest, { status: GuestStatus.RUNNING, action: PowerAction.START });
}

/** Stops it, hard, unless it is stopped. @throws DroverError with the platform's words */
export const stopGuest = (context: StepContext, guest: GuestAddress): Promise<void> =>
  bringTo(context, guest, { status: GuestStatus.STOPPED, action: PowerAction.STOP });

/** Stops it although a stop is on record: something has started it since. @throws DroverError with the platform's words */
export const stopGuestAgain = (context: StepContext, guest: GuestAddress): Promise<void> =>
  bringTo(context, guest, { status: GuestStatus.STOPPED, action: PowerAction.STOP }, makeEffectAgain);

/** So long high availability is given to act, shutdown included. */
const REACHED_MS = 5 * 60_000;
const LOOK_AGAIN_MS = 500;

/** @throws DroverError platform, when the guest is not there after a while */
async function reached(
  { stopwatch, signal }: StepContext,
  { vmid, node }: GuestAddress,
  { status, isThere }: { status: GuestStatus; isThere: () => Promise<boolean> },
): Promise<void> {
  const deadline = stopwatch.milliseconds() + REACHED_MS;
  while (!(await isThere())) {
    if (stopwatch.milliseconds() > deadline)
      throw new DroverError("platform", `guest ${vmid} on ${node} is still not ${status}`);
    await pauseUnlessAborted({ stopwatch, signal }, LOOK_AGAIN_MS);
  }
}

async function bringTo(
  context: StepContext,
  guest: GuestAddress,
  { status, action }: { status: GuestStatus; action: PowerAction },
  make = makeEffect,
): Promise<void> {
  const hypervisor = await context.hypervisor();
  const isThere = async (): Promise<boolean> => (await hypervisor.guestStatus(guest)).status === status;
  try {
    const outcome = await make(context, {
      name: action,
      start: async () => ((await isThere()) ? null : hypervisor.power(guest, action)),
      find: async () => ((await isThere()) ? { upid: null } : null),
      repeatableOn: guest,
    });
    if (outcome !== null && isRequestAlone(outcome)) await reached(context, guest, { status, isThere });
  } catch (error) {
    // Of two orders the platform refuses the second: what the guest does counts.
    if (!(error instanceof DroverError) || !(await isThere())) throw error;
  }
}
