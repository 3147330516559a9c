// Follows a task of which the host may not tell how it ended.
import type { Hypervisor } from "./hypervisor.js";
import { isPlatformError, PlatformReason } from "./platformError.js";
import type { TaskOutcome, Upid, WaitOptions } from "./task.js";

/** @returns null when the host no longer knows the task: some forget one soon after its end. @throws as `waitForTask` */
export async function taskEnd(
  hypervisor: Pick<Hypervisor, "waitForTask">,
  upid: Upid,
  options: WaitOptions,
): Promise<TaskOutcome | null> {
  try {
    return await hypervisor.waitForTask(upid, options);
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.NOT_FOUND)) throw error;
    return null;
  }
}
