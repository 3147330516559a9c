// Checks mode, downtime, estimates and status of migrations.
import assert from "node:assert/strict";
import type { MigrationStep } from "../../../src/core/enums.js";
import { averageSpeed, bytesToCopy, describeDuration, expectedSeconds } from "../../../src/core/migration/estimate.js";
import { describeDowntime, migrationMode } from "../../../src/core/migration/mode.js";
import {
  currentStep,
  isTransferDone,
  migrationStatus,
  stepsToRun,
  STEPS_IN_ORDER,
  type StepOutcome,
  type StepRecord,
} from "../../../src/core/migration/status.js";
import { guestDisks } from "../../../src/core/inventory/disk.js";
import { GIB } from "../../../src/core/units.js";

/** Steps that ended well, up to and without this one. */
const upTo = (step: MigrationStep): StepRecord[] =>
  STEPS_IN_ORDER.slice(0, STEPS_IN_ORDER.indexOf(step)).map((done) => ({ step: done, outcome: "done" }));
const at = (step: MigrationStep, outcome: StepOutcome | null): StepRecord[] => [...upTo(step), { step, outcome }];

describe("core/migration", () => {
  for (const [type, status, mode] of [
    ["qemu", "running", "live"],
    ["qemu", "paused", "live"],
    ["lxc", "running", "restart"],
    ["qemu", "stopped", "offline"],
    ["lxc", "stopped", "offline"],
    ["qemu", "suspended", "offline"],
    ["qemu", "unknown", "offline"],
  ] as const) {
    it(`mode: a ${status} ${type} guest moves ${mode}`, () => assert.equal(migrationMode(type, status), mode));
  }

  it("downtime: announces a pause or the stopped time", () => {
    assert.equal(describeDowntime("live", 600), "a brief pause at the final switchover");
    assert.equal(
      describeDowntime("restart", 600),
      "stopped for the transfer, then started on the target: about 10 min",
    );
    assert.equal(describeDowntime("offline", null), "stopped, not to be started during the transfer: Duration unknown");
  });

  it("estimate: copies every volume, and RAM when live", () => {
    const disks = guestDisks("qemu", {
      scsi0: "tank:vm-1-disk-0,size=32G",
      efidisk0: "tank:vm-1-disk-1,size=1G",
      unused0: "tank:vm-1-disk-2,size=2G",
      ide2: "local:iso/a.iso,media=cdrom,size=4G",
      sata0: "/dev/sdb,size=100G",
      scsi1: "tank:vm-1-disk-3",
    });
    assert.equal(bytesToCopy(disks, "offline", 2_048), 35 * GIB);
    assert.equal(bytesToCopy(disks, "restart", 2_048), 35 * GIB);
    assert.equal(bytesToCopy(disks, "live", 2_048), 37 * GIB);
  });

  for (const [durations, expected] of [
    [[], null],
    [[100], 100],
    [[100, 101], 101],
    [[60, 120, 180], 120],
  ] as const) {
    it(`estimate: earlier moves of ${durations.join(", ") || "no"} seconds make ${expected}`, () => {
      assert.equal(expectedSeconds(durations), expected);
    });
  }
  for (const [span, text] of [
    [null, "Duration unknown"],
    [0, "about 1 s"],
    [89, "about 89 s"],
    [90, "about 2 min"],
    [3600, "about 60 min"],
  ] as const) {
    it(`estimate: ${span} seconds are ${text}`, () => assert.equal(describeDuration(span), text));
  }
  for (const [bytes, span, speed] of [
    [1000, 10, 100],
    [1000, 0, null],
    [null, 10, null],
    [1000, null, null],
  ] as const) {
    it(`estimate: ${bytes} bytes in ${span} s are ${speed}`, () => assert.equal(averageSpeed(bytes, span), speed));
  }

  const statuses: [what: string, journal: StepRecord[], isWorking: boolean, status: string][] = [
    ["nothing has begun", [], false, "queued"],
    ["a worker has it", [], true, "running"],
    ["a worker was killed", at("transfer", null), false, "queued"],
    ["the platform's task lives", at("transfer", null), true, "running"],
    ["the transfer failed", at("transfer", "failed"), false, "failed"],
    ["a later step warned, others follow", at("ip_plan", "warning"), true, "running"],
    ["all is done", at("finished", "done"), false, "done"],
    [
      "all is done, with a warning",
      at("finished", "done").map((record) => (record.step === "records" ? { ...record, outcome: "warning" } : record)),
      false,
      "done_with_warnings",
    ],
    ["the safety copy failed", at("safety_copy", "failed"), false, "failed"],
  ];
  for (const [what, journal, isWorking, status] of statuses) {
    it(`status: ${status} when ${what}`, () => assert.equal(migrationStatus(journal, isWorking), status));
  }

  it("status: a resumption runs the steps that the journal lacks", () => {
    assert.deepEqual(stepsToRun([]), STEPS_IN_ORDER);
    assert.deepEqual(stepsToRun(at("target_token", null))[0], "target_token");
    assert.deepEqual(stepsToRun(at("finished", "done")), []);
    assert.equal(currentStep(at("finished", "done")), "finished");
    assert.equal(currentStep([]), "preflight");
  });

  it("status: after the transfer nothing before it is ever run again, whatever the journal lacks", () => {
    const torn: StepRecord[] = [
      { step: "transfer", outcome: "done" },
      { step: "records", outcome: "failed" },
    ];
    assert.equal(isTransferDone(torn), true);
    assert.deepEqual(stepsToRun(torn), ["ip_plan", "port_forwards", "records", "safety_copy", "finished"]);
    assert.equal(isTransferDone(at("transfer", "failed")), false);
    assert.equal(stepsToRun(at("transfer", "failed"))[0], "transfer");
  });
});
