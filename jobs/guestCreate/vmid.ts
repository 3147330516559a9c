// Keeps a creation on a VMID that the host takes: one that was asked for, or the next after each one that is refused.
import { DroverError } from "../../src/errors/errors.js";
import { isPlatformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import * as held from "../../src/store/held/take.js";
import { takeOtherVmid } from "../guest/otherVmid.js";
import { findInstalled, INSTALL, VMID_TAKEN, vmidExists } from "../guest/install.js";
import { forgetEffect } from "../engine/effect.js";
import { wasBegun } from "../engine/step.js";
import { guestOf, inputOf, installationOf, type CreateContext } from "./context.js";

/** Jobs of earlier releases do not say: then it counts as asked for. */
const wasChosen = (context: CreateContext): boolean => inputOf(context).vmidAsked === false;

/** Inventory may not know yet what somebody made beside the service, or may not see it. @throws DroverError conflict, platform */
export async function requireFreeVmid(context: CreateContext): Promise<void> {
  const hypervisor = await context.hypervisor();
  while (!(await hypervisor.vmidIsFree(guestOf(context).vmid))) {
    if (!wasChosen(context)) throw vmidExists(guestOf(context).vmid);
    await replaceVmid(context);
  }
}

/**
 * Makes the guest, under another VMID after each one that the host refuses.
 * @param make makes it under the present one
 * @throws DroverError what `make` throws when the VMID was asked for, or is not why
 */
export async function underFreeVmid(context: CreateContext, make: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await make();
    } catch (error) {
      const outcome = await judge(context, error);
      if (outcome === "made") return;
      if (outcome === "failed") throw error;
    }
    await forgetEffect(context, INSTALL);
    await replaceVmid(context);
    await requireFreeVmid(context);
  }
}

/** What came of the creation: a refusal of its VMID alone, which has made nothing; or its guest, by an earlier request. */
async function judge(context: CreateContext, error: unknown): Promise<"refused" | "made" | "failed"> {
  if (!wasChosen(context)) return "failed";
  if (isTaken(error)) return "refused";
  const hypervisor = await context.hypervisor();
  if (isPlatformError(error, PlatformReason.FORBIDDEN))
    return (await hypervisor.vmidIsBarred(guestOf(context).vmid)) ? "refused" : "failed";
  if (!isPlatformError(error, PlatformReason.EXISTS)) return "failed";
  // The guest that is in the way may be that of an earlier attempt, whose answer is lost.
  if (!wasTriedEarlier(context)) return "refused";
  try {
    return (await findInstalled(context, hypervisor, installationOf(context))) ? "made" : "failed";
  } catch (found) {
    if (isTaken(found)) return "refused";
    throw found;
  }
}

/** What has the VMID was looked at, and is another's. */
const isTaken = (error: unknown): boolean => error instanceof DroverError && error.reason === VMID_TAKEN;

const wasTriedEarlier = (context: CreateContext): boolean =>
  wasBegun(context.job.facts, INSTALL) && guestOf(context).vmid === context.job.vmid;

async function replaceVmid(context: CreateContext): Promise<void> {
  const { job, services, log } = context;
  const { vmid } = guestOf(context);
  const refused = { hostId: job.hostId ?? -1, vmid };
  const other = await takeOtherVmid(services.pool, job, refused, held.renumberCreation);
  log.info({ from: vmid, to: other }, "the host refused the VMID: the next one is taken");
  await context.remember({ vmid: other });
}
