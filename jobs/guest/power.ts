// Starts and stops the guest of a job.
import { GuestStatus, PowerAction } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import { makeEffect } from "../platformTask.js";
import type { World } from "../step.js";

/** Starts it unless it runs. @throws DroverError with the platform's words */
export const startGuest = (world: World, guest: GuestAddress): Promise<void> =>
  bringTo(world, guest, { status: GuestStatus.RUNNING, action: PowerAction.START });

/** Stops it, hard, unless it is stopped. @throws DroverError with the platform's words */
export const stopGuest = (world: World, guest: GuestAddress): Promise<void> =>
  bringTo(world, guest, { status: GuestStatus.STOPPED, action: PowerAction.STOP });

async function bringTo(
  world: World,
  guest: GuestAddress,
  { status, action }: { status: GuestStatus; action: PowerAction },
): Promise<void> {
  const hypervisor = await world.hypervisor();
  const isThere = async (): Promise<boolean> => (await hypervisor.guestStatus(guest)).status === status;
  try {
    await makeEffect(world, {
      name: action,
      start: async () => ((await isThere()) ? null : hypervisor.power(guest, action)),
      find: async () => ((await isThere()) ? { upid: null } : null),
      repeatableOn: guest,
    });
  } catch (error) {
    // Of two orders the platform refuses the second: what the guest does counts.
    if (!(error instanceof DroverError) || !(await isThere())) throw error;
  }
}
