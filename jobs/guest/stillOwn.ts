// Decides whether the guest under a job's VMID is still the one that the job made: a job can be resumed long after a crash.
import { configOrNull } from "../../src/host/locateGuest.js";
import { isSameGuest } from "../../src/host/sameGuest.js";
import { DroverError } from "../../src/errors/errors.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { GuestConfig } from "../../src/hypervisor/guestConfig.js";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { wasBegun, type Step, type StepContext } from "../engine/step.js";
import { isOwn, type InstallFacts, type InstallContext } from "./installation.js";
import { INSTALL } from "./install.js";
import { targetOf } from "./target.js";

/** Whether an earlier attempt began to make the guest. With a database that was restored from a backup, days may lie between. */
export const wasInstalledEarlier = ({ job }: StepContext): boolean => wasBegun(job.facts, INSTALL);

/**
 * Whether the guest that the platform has under the VMID is the one that this job made: it has the job's mark, or, once it is
 * configured, the identity on record. @throws DroverError platform
 */
export async function isStillOwn(
  context: InstallContext,
  hypervisor: Hypervisor,
  config: GuestConfig,
): Promise<boolean> {
  if (isOwn(context, config)) return true;
  const { guestId } = context.facts;
  const recorded = guestId === undefined ? null : await targetOf(context, guestId);
  return recorded !== null && isSameGuest(hypervisor, recorded, config);
}

/** The step on the guest that the job made, which is looked at again when an earlier attempt made it. */
export const onOwnGuest = <Facts extends InstallFacts>(
  step: Step<Facts>,
  guestOf: (context: StepContext<Facts>) => GuestAddress,
): Step<Facts> => ({
  ...step,
  async run(context) {
    if (wasInstalledEarlier(context)) await requireStillOwn(context, guestOf(context));
    return step.run(context);
  },
});

/** @throws DroverError conflict, platform */
async function requireStillOwn(context: InstallContext, guest: GuestAddress): Promise<void> {
  const hypervisor = await context.hypervisor();
  const config = await configOrNull(hypervisor, guest);
  if (config === null) throw new DroverError("conflict", "the guest is no longer on the platform");
  if (await isStillOwn(context, hypervisor, config)) return;
  await context.remember({ replaced: true });
  throw new DroverError("conflict", `what has VMID ${guest.vmid} by now is not this job's: it is left alone`);
}
