// The platform as the REST cases need it: host 1 knows one task, host 2 cannot be reached.
import type { Hypervisor, Hypervisors } from "../../../src/hypervisor/hypervisor.js";
import { describeConfig } from "../../../src/hypervisor/proxmox/config/describeConfig.js";
import type { TaskStatus } from "../../../src/hypervisor/task.js";
import { DroverError } from "../../../src/errors/errors.js";

export const TASK: TaskStatus = {
  upid: "UPID:pve1:0000C1D2:0015A2C8:65B2A1F0:qmstart:100:root@pam:",
  node: "pve1",
  type: "qmstart",
  work: "start",
  targetId: "100",
  user: "root@pam",
  running: false,
  exitStatus: "OK",
  succeeded: true,
  startedAt: new Date("2026-11-21T11:58:00Z"),
  endedAt: new Date("2026-11-21T11:58:02Z"),
};

const known: Pick<Hypervisor, "task" | "guestConfig" | "power" | "waitForTask"> = {
  guestConfig: (guest) => Promise.resolve(describeConfig(guest, {}, "0")),
  power: () => Promise.resolve(TASK.upid),
  waitForTask: () => Promise.resolve({ ...TASK, failure: null, place: "node a1 of host alpha" }),
  task: (upid) =>
    upid === TASK.upid
      ? Promise.resolve(TASK)
      : Promise.reject(new DroverError("platform", "no such task", { reason: "PLATFORM_NOT_FOUND" })),
};

const hostOf = (hostId: number): Promise<Hypervisor> =>
  hostId === 1
    ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a double of the one method that is called
      Promise.resolve(known as Hypervisor)
    : Promise.reject(new DroverError("platform", "Host beta cannot be reached"));

/** Only what the cases use; anything else fails as a missing method does. */
export const casePlatform: Pick<Hypervisors, "of" | "prompt"> = { of: hostOf, prompt: hostOf };
