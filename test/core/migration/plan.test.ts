// Checks whether a plan can start, what it sums up, and what it says of an address that a running machine takes later.
import assert from "node:assert/strict";
import type { IpPlan } from "../../../src/core/addressing/ipPlan.js";
import { planAddress } from "../../../src/core/addressing/ipPlan.js";
import { migrationPlan, shownIpPlan } from "../../../src/core/migration/plan.js";
import { GIB, MIB } from "../../../src/core/units.js";
import { guestDisks } from "../../../src/hypervisor/proxmox/config/disks.js";
import { facts, guest } from "./plainMove.js";

const reassigned: IpPlan = {
  kind: "reassign",
  currentAddress: "10.0.0.9",
  newAddress: "10.1.0.5",
  zoneId: 2,
  explanation: "10.0.0.9 of zone a becomes 10.1.0.5 of zone b",
};

describe("core/migration/plan", () => {
  it("can start only when nothing blocks", () => {
    const route = { averageSeconds: 120, paces: [{ mode: "live", bytes: 8 * GIB, seconds: 100 }] } as const;
    const { plan: ipPlan } = planAddress(null, []);
    const parts = { disks: [], ipPlan, portForwards: [], route, bandwidthMib: null };
    const plan = migrationPlan(facts, parts);
    assert.equal(plan.startable, true);
    assert.deepEqual(plan.summary, {
      bytesToCopy: 4 * GIB,
      unsizedDisks: [],
      expectedSeconds: 120,
      bytesPerSecond: (8 * GIB) / 100,
      transferSeconds: 50,
      downtime: "a brief pause at the final switchover",
      checkCount: plan.passed.length,
    });
    const blocked = migrationPlan({ ...facts, ...guest({ snapshots: ["pre"] }) }, parts);
    assert.equal(blocked.startable, false);
    assert.equal(blocked.problems.length + blocked.warnings.length + blocked.passed.length, plan.summary.checkCount);
  });

  it("has no seconds for the bytes where a disk of unknown size comes on top, and no pace beyond the limit", () => {
    const { plan: ipPlan } = planAddress(null, []);
    const route = { averageSeconds: null, paces: [{ mode: "live", bytes: 8 * GIB, seconds: 100 }] } as const;
    const disks = guestDisks("qemu", { scsi0: "tank:vm-1-disk-0" });
    const parts = { disks, ipPlan, portForwards: [], route, bandwidthMib: 10 };
    const { bytesPerSecond, transferSeconds, unsizedDisks } = migrationPlan(facts, parts).summary;
    assert.deepEqual([bytesPerSecond, transferSeconds, unsizedDisks], [10 * MIB, null, ["scsi0"]]);
  });

  it("reports when a machine that moves live takes its new address", () => {
    assert.deepEqual(shownIpPlan(reassigned, "live"), {
      ...reassigned,
      explanation:
        "10.0.0.9 of zone a becomes 10.1.0.5 of zone b at the machine's next start: until then it goes on with the old one",
    });
  });

  it("has nothing to add for a guest that starts on the target, or keeps its address", () => {
    assert.equal(shownIpPlan(reassigned, "restart"), reassigned);
    assert.equal(shownIpPlan(reassigned, "offline"), reassigned);
    const kept: IpPlan = { ...reassigned, kind: "keep" };
    assert.equal(shownIpPlan(kept, "live"), kept);
  });
});
