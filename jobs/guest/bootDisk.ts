// Grows the boot disk of a virtual machine.
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { Upid } from "../../src/hypervisor/task.js";
import { leavesNoTrace, makeEffect } from "../engine/effect.js";
import type { StepContext } from "../engine/step.js";
import { DroverError } from "../../src/errors/errors.js";

/** Grows it to this size; a disk that has it, or is larger, stays. @throws DroverError with the platform's words */
export async function growBootDisk(context: StepContext, guest: GuestAddress, bytes: number): Promise<void> {
  const hypervisor = await context.hypervisor();
  const grow = async (): Promise<Upid | null> => {
    const disk = (await hypervisor.guestConfig(guest)).systemDisk;
    if (disk === null) throw new DroverError("platform", "the template has no disk");
    return (disk.bytes ?? 0) >= bytes ? null : hypervisor.resize(guest, disk.key, bytes);
  };
  await makeEffect(context, { name: "resize", start: grow, find: leavesNoTrace, repeatableOn: guest });
}
