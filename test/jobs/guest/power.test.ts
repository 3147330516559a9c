// A guest that high availability is asked to stop: the task of the request ends at once, the guest stops later, or never.
import assert from "node:assert/strict";
import { stopGuest } from "../../../jobs/guest/power.js";
import { GuestStatus, GuestType } from "../../../src/core/enums.js";
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import { TaskWork } from "../../../src/hypervisor/task.js";
import { LeapingTime } from "../../support/handTime.js";
import { outcomeOf } from "../engine/endedTasks.js";
import { memoryContext, MemoryStore } from "../engine/memory.js";

const GUEST = { type: GuestType.QEMU, node: "pve1", vmid: 100 };
const UPID = "UPID:pve1:1";
const LOOK_AGAIN_MS = 500;

/** A host whose guest runs for so many more looks. */
function host(looks: number): Partial<Hypervisor> {
  let left = looks;
  return {
    power: () => Promise.resolve(UPID),
    waitForTask: () => Promise.resolve(outcomeOf(UPID, { type: "hastop", work: TaskWork.REQUEST_STOP })),
    guestStatus: () => {
      const status = left-- > 0 ? GuestStatus.RUNNING : GuestStatus.STOPPED;
      return Promise.resolve({ status, lock: null, handover: null, machine: null });
    },
  };
}

describe("a guest that high availability is asked to stop", () => {
  it("is waited for until it is stopped, with a pause between two looks", async () => {
    const stopwatch = new LeapingTime(LOOK_AGAIN_MS);
    await stopGuest(await memoryContext(new MemoryStore(), { platform: host(4), stopwatch }), GUEST);
    assert.deepEqual(stopwatch.pauses, [LOOK_AGAIN_MS, LOOK_AGAIN_MS, LOOK_AGAIN_MS]);
    assert.equal(stopwatch.milliseconds(), 3 * LOOK_AGAIN_MS);
  });

  it("is given up when it is not stopped after five minutes", async () => {
    const stopwatch = new LeapingTime(LOOK_AGAIN_MS);
    const platform = host(Number.POSITIVE_INFINITY);
    await assert.rejects(stopGuest(await memoryContext(new MemoryStore(), { platform, stopwatch }), GUEST), {
      kind: "platform",
      message: "guest 100 on pve1 is still not stopped",
    });
    assert.ok(stopwatch.milliseconds() >= 5 * 60_000);
  });
});
