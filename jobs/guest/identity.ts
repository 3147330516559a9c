// Reads the marks by which a guest that a job has just made is recognised later.
import { GuestType } from "../../src/core/enums.js";
import { NO_MARKS, type GuestMarks } from "../../src/core/inventory/identity.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import type { StepContext } from "../engine/step.js";
import { MAKE } from "./make.js";

/** As the inventory stores it; a sync adds what it compares overviews by. */
interface MadeIdentity {
  readonly marks: GuestMarks;
  /** End of the task that made it, milliseconds since 1970, on the platform's clock. */
  readonly identifiedAt: number;
}

/**
 * A container has no marks, only the end of the task that made it.
 * @returns null when that is not known: then the next sync takes what it finds for the guest
 */
export async function madeIdentity(context: StepContext, guest: GuestAddress): Promise<MadeIdentity | null> {
  const hypervisor = await context.hypervisor();
  if (guest.type === GuestType.QEMU) {
    const { marks } = await hypervisor.guestConfig(guest);
    return { marks, identifiedAt: 0 };
  }
  const made = context.facts.tasks?.[MAKE];
  if (made === undefined) return null;
  const task = (await hypervisor.guestTasks(guest.node, guest.vmid)).find(({ upid }) => upid === made);
  return task?.endedAt ? { marks: NO_MARKS, identifiedAt: task.endedAt.getTime() } : null;
}
