// Grows the boot disk of a virtual machine.
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import { leavesNoTrace, makeEffect } from "../engine/effect.js";
import type { StepContext } from "../engine/step.js";

/** Grows it to this size; a disk that has it, or is larger, stays. @throws DroverError with the platform's words */
export async function growBootDisk(context: StepContext, guest: GuestAddress, bytes: number): Promise<void> {
  const hypervisor = await context.hypervisor();
  await makeEffect(context, {
    name: "resize",
    start: () => hypervisor.growSystemDisk(guest, bytes),
    find: leavesNoTrace,
    repeatableOn: guest,
  });
}
