// Finds the guest that a job is about: another guest may have its VMID by now.
import { locateGuest, type LocatedGuest } from "../../src/host/locateGuest.js";
import { isSameGuest } from "../../src/host/sameGuest.js";
import * as placedGuests from "../../src/store/guest/placed.js";
import type { StepContext } from "../engine/step.js";

/** The guest as the inventory knew it when the job locked it. */
export type Target = placedGuests.PlacedGuest;

/** The guest on record; null when the record is gone. */
export const targetOf = (
  { services, job }: StepContext,
  guestId: number | null = job.guestId,
): Promise<Target | null> => placedGuests.find(services.pool, guestId);

/** Where the job's own guest is on the platform; null when it is not there any more. @throws DroverError platform */
export async function locateTarget(context: StepContext): Promise<LocatedGuest | null> {
  const target = await targetOf(context);
  if (target === null) return null;
  const hypervisor = await context.hypervisor();
  const { type, node, vmid } = target;
  const located = await locateGuest(hypervisor, { type, node, vmid });
  if (located === null || (await isSameGuest(hypervisor, target, located.config))) return located;
  context.log.warn({ vmid }, "another guest has the VMID by now: it is left alone");
  return null;
}
