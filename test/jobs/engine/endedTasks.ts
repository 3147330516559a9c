// Platform tasks that have ended or are at work, and a platform that knows how some ended, and no others.
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import { TaskWork, type TaskOutcome, type TaskStatus } from "../../../src/hypervisor/task.js";

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

/** A task that has not ended. */
export const AT_WORK: TaskStatus = {
  ...outcomeOf("UPID:pve1:9"),
  running: true,
  succeeded: false,
  exitStatus: null,
  endedAt: null,
};

/** A platform that knows how these tasks ended. */
export const platform = (
  ended: Readonly<Record<string, TaskOutcome>> = {},
  more: Partial<Hypervisor> = {},
): Partial<Hypervisor> => ({
  waitForTask: async (upid) => ended[upid] ?? Promise.reject(platformError(PlatformReason.NOT_FOUND, "forgotten")),
  activeTasks: () => Promise.resolve([]),
  ...more,
});
