// A platform that knows how some tasks ended, and no others.
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import { TaskWork, type TaskOutcome } from "../../../src/hypervisor/task.js";

export const outcomeOf = (upid: string, more: Partial<TaskOutcome> = {}): TaskOutcome => ({
  upid,
  node: "pve1",
  type: "qmclone",
  work: TaskWork.CREATE,
  targetId: "100",
  user: "root@pam",
  running: false,
  exitStatus: "OK",
  startedAt: new Date(),
  succeeded: true,
  failure: null,
  place: "node pve1 of host rack1",
  ...more,
});

/** A platform that knows how these tasks ended. */
export const platform = (
  ended: Readonly<Record<string, TaskOutcome>> = {},
  more: Partial<Hypervisor> = {},
): Partial<Hypervisor> => ({
  waitForTask: async (upid) => ended[upid] ?? Promise.reject(platformError(PlatformReason.NOT_FOUND, "forgotten")),
  activeTasks: () => Promise.resolve([]),
  ...more,
});
