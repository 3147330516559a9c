// What both hosts are seen to have before a guest moves: what works on it at the source, and whether the target is there.
import assert from "node:assert/strict";
import type { Hypervisor } from "../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../src/hypervisor/platformError.js";
import { TaskWork, type TaskStatus } from "../../src/hypervisor/task.js";
import { observeSource, observeTarget } from "../../src/migration/observeMove.js";
import { refusedAs } from "../support/refusal.js";
import { configOf, tinyHost } from "../support/tinyPlatform.js";

const GUEST = { type: "qemu", node: "pve1", vmid: 100, identity: null } as const;
const BACKUP: TaskStatus = {
  upid: "backup of 100",
  node: "pve1",
  type: "vzdump",
  work: TaskWork.OTHER,
  targetId: "100",
  user: "root@pam",
  running: true,
  exitStatus: null,
  succeeded: false,
  startedAt: new Date(0),
  endedAt: null,
};

const failing = (reason: PlatformReason) =>
  observeTarget(() => Promise.reject(platformError(reason, "no answer")), { type: "qemu", node: "pve1" });

describe("migration/observeMove", () => {
  let hypervisor: Hypervisor;
  beforeEach(() => {
    const host = tinyHost("pve1", new Map());
    host.guests.set(GUEST.vmid, { at: GUEST, name: "web", status: "running", config: configOf("web", {}, "") });
    ({ hypervisor } = host);
  });

  it("names the platform's tasks that work on the guest", async () => {
    assert.deepEqual((await observeSource(hypervisor, GUEST)).tasks, []);
    const isAsked = (node: string, vmid: number) => node === GUEST.node && vmid === GUEST.vmid;
    const busy: Hypervisor = {
      ...hypervisor,
      activeTasks: (node, vmid) => Promise.resolve(isAsked(node, vmid) ? [BACKUP] : []),
    };
    assert.deepEqual((await observeSource(busy, GUEST)).tasks, ["vzdump"]);
  });

  it("refuses a guest that its host no longer has", async () => {
    const refusal = await refusedAs("conflict", observeSource(hypervisor, { ...GUEST, vmid: 101 }));
    assert.equal(refusal.reason, "GUEST_GONE");
  });

  it("takes a target for offline that cannot be reached, and for online when it answers", async () => {
    assert.equal((await failing(PlatformReason.UNREACHABLE)).online, false);
    const seen = await observeTarget(() => Promise.resolve(hypervisor), { type: "qemu", node: "pve1" });
    assert.equal(seen.online, true);
    assert.equal(seen.version, "9.9.9");
  });

  it("passes every other refusal of the target on", async () => {
    await refusedAs("platform", failing(PlatformReason.FORBIDDEN));
  });
});
