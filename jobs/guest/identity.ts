// Reads the marks by which a guest that a job has just made is recognised later.
import { GuestType } from "../../src/core/enums.js";
import type { StoredIdentity } from "../../src/core/inventory/identity.js";
import type { GuestAddress } from "../../src/hypervisor/guest.js";
import { replacements } from "../../src/inventory/guestConfigs.js";
import type { StepContext } from "../engine/step.js";
import { INSTALL } from "./install.js";

/** As the inventory stores it; a sync adds what it compares overviews by. */
type MadeIdentity = Required<StoredIdentity>;

/**
 * A container has no mark that proves alone which guest it is: it is known by the task that made it, too.
 * @returns null when the end of that task is not known: then the next sync takes what it finds for the guest
 */
export async function madeIdentity(context: StepContext, guest: GuestAddress): Promise<MadeIdentity | null> {
  const hypervisor = await context.hypervisor();
  if (guest.type === GuestType.QEMU) {
    const { marks } = await hypervisor.guestConfig(guest);
    return { marks, identifiedAt: 0, tasks: null };
  }
  const made = context.facts.tasks?.[INSTALL];
  if (made === undefined) return null;
  const task = (await hypervisor.guestTasks(guest.node, guest.vmid)).find(({ upid }) => upid === made);
  if (task?.endedAt === null || task === undefined) return null;
  const { marks } = await hypervisor.guestConfig(guest);
  const listed = replacements(await hypervisor.recentTasks()).get(guest.vmid) ?? [];
  const identifiedAt = Math.min(task.endedAt.getTime(), context.services.clock.now().getTime());
  // A cluster lists a task some seconds after its end: the job's own are known before.
  const own = Object.values(context.facts.tasks ?? {});
  return { marks, identifiedAt, tasks: [...new Set([...own, ...listed.map((other) => other.task)])] };
}
