// Moves of guests between two simulated hosts, from the plan to the safety copy.
import assert from "node:assert/strict";
import { retryMigration } from "../../../src/actions/migration/retry.js";
import { DroverError } from "../../../src/errors/errors.js";
import { refusedAs } from "../../support/refusal.js";
import { contextFor } from "../../support/viewers.js";
import {
  guestOn,
  leftovers,
  migrationRow,
  moveInput,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  plan,
  queueMove,
  run,
  transfersOf,
  type GuestToMove,
  type MoveStage,
} from "./stage.js";

describe("jobs/migration", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  const modes: readonly (GuestToMove & { mode: string })[] = [
    { type: "qemu", vmid: 101, status: "running", mode: "live" },
    { type: "qemu", vmid: 102, status: "stopped", mode: "offline" },
    { type: "lxc", vmid: 103, status: "running", mode: "restart" },
    { type: "lxc", vmid: 104, status: "stopped", mode: "offline" },
  ];

  for (const { mode, ...guest } of modes) {
    it(`moves a ${guest.status} ${guest.type} guest: ${mode}`, async () => {
      const guestId = await placeAndSync(stage, guest);
      const seen = await plan(stage, moveInput(stage, guestId));
      assert.deepEqual(seen.problems, []);
      assert.equal(seen.mode, mode);
      const { migrationId, jobId } = await queueMove(stage, guestId);
      await run(stage, jobId);
      const row = await migrationRow(stage, migrationId);
      assert.equal(row["error"], null);
      assert.equal(row["status"], "done");
      assert.equal(row["transfer_done"], true);
      const there = guestOn(stage.target, guest.vmid);
      assert.equal(there?.runtime !== null, guest.status === "running");
      assert.equal(there?.config["lock"], undefined);
      assert.equal(there?.config["onboot"], "1");
      const copy = guestOn(stage.source, guest.vmid);
      assert.equal(copy?.runtime, null);
      assert.equal(copy?.config["lock"], undefined);
      assert.equal(copy?.config["tags"], "drover-migrated");
      assert.equal(copy?.config["onboot"], "0");
      assert.equal(transfersOf(stage, guest.vmid), 1);
      assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    });
  }

  it("finds before the copy what the target would refuse after it", async () => {
    const { network } = stage.source.host.platform.state.nodes.get("pvea") ?? { network: [] };
    for (const bridge of network.filter(({ iface }) => iface === "vmbr0")) bridge.mtu = 9000;
    const codes: string[][] = [];
    for (const [vmid, config] of [
      [180, { cpu: "custom-avx,flags=+aes" }],
      [181, { net0: "virtio=BC:24:11:00:01:81,bridge=vmbr0,mtu=9000" }],
      [182, { net0: "virtio=BC:24:11:00:01:82,bridge=vmbr0,mtu=1" }],
    ] as const) {
      const guestId = await placeAndSync(stage, { type: "qemu", vmid, status: "running", config });
      const { problems, warnings } = await plan(stage, moveInput(stage, guestId));
      codes.push([...problems, ...warnings].map(({ code }) => code));
    }
    for (const bridge of network) bridge.mtu = null;
    assert.deepEqual(codes, [
      ["HAS_CUSTOM_CPU", "BRIDGE_MTU_SMALLER"],
      ["MTU_TOO_LARGE", "BRIDGE_MTU_SMALLER"],
      ["BRIDGE_MTU_SMALLER"],
    ]);
  });

  it("keeps the guest's id and its state, and gives its original a row with a date", async () => {
    const { rows } = await stage.services.pool.query(
      `select g.vmid, g.status, g.host_id = $1 as moved, c.host_id = $2 and c.safety_copy as copied,
         c.safety_copy_delete_at between now() + interval '6 days' and now() + interval '8 days' as dated
       from migration m join guest g on g.id = m.guest_id join guest c on c.id = m.safety_copy_guest_id order by g.vmid`,
      [stage.target.hostId, stage.source.hostId],
    );
    assert.deepEqual(
      rows,
      modes.map(({ vmid, status }) => ({ vmid, status, moved: true, copied: true, dated: true })),
    );
  });

  it("refuses to move a safety copy, and a guest that is busy", async () => {
    const { rows } = await stage.services.pool.query<{ id: number }>(`select id from guest where safety_copy limit 1`);
    const copy = await refusedAs("conflict", queueMove(stage, rows[0]?.id ?? 0));
    assert.equal(copy.reason, "SAFETY_COPY");
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: 110, status: "stopped" });
    const { jobId } = await queueMove(stage, guestId);
    const busy = await refusedAs("conflict", queueMove(stage, guestId));
    assert.equal(busy.reason, "GUEST_BUSY");
    await run(stage, jobId);
  });

  it("moves a guest once when several ask for it together, and reports to the others that it is busy", async () => {
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: 111, status: "stopped" });
    const asked = await Promise.allSettled([1, 2, 3].map(() => queueMove(stage, guestId)));
    const refusals = asked.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    assert.deepEqual(
      refusals.map((reason) => reason instanceof DroverError && reason.reason),
      ["GUEST_BUSY", "GUEST_BUSY"],
    );
    for (const one of asked) if (one.status === "fulfilled") await run(stage, one.value.jobId);
  });

  it("gives the guest the next free VMID when its own is taken, and reports it when a taken one is asked for", async () => {
    const first = await placeAndSync(stage, { type: "qemu", vmid: 120, status: "stopped" });
    await run(stage, (await queueMove(stage, first, { targetVmid: 121 })).jobId);
    const second = await placeAndSync(stage, { type: "qemu", vmid: 121, status: "stopped" });
    assert.equal((await plan(stage, moveInput(stage, second))).targetVmid, 100);
    const asked = await plan(stage, moveInput(stage, second, { targetVmid: 121 }));
    assert.deepEqual(
      asked.problems.map(({ code }) => code),
      ["TARGET_VMID_TAKEN"],
    );
  });

  it("leaves the source as it was when the transfer fails, and can be retried", async () => {
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: 130, status: "running" });
    stage.source.host.platform.tasks.planFailure({
      type: "qmigrate",
      vmid: 130,
      atFraction: 0.1,
      message: "no route",
      times: 1,
    });
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    const failed = await migrationRow(stage, migrationId);
    assert.equal(failed["status"], "failed");
    assert.match(String(failed["error"]), /the transfer failed/);
    assert.equal(failed["transfer_done"], false);
    const guest = guestOn(stage.source, 130);
    assert.notEqual(guest?.runtime, null);
    assert.equal(guest?.config["lock"], undefined);
    assert.equal(guestOn(stage.target, 130), undefined);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    await retryMigration(await contextFor(stage.services), migrationId);
    await run(stage, Number((await migrationRow(stage, migrationId))["job_id"]));
    assert.equal((await migrationRow(stage, migrationId))["status"], "done");
  });

  for (const type of ["qemu", "lxc"] as const) {
    it(`warns when the transfer of a ${type} guest fails at its very end, although the guest has moved`, async () => {
      const vmid = type === "qemu" ? 140 : 141;
      const guestId = await placeAndSync(stage, { type, vmid, status: "running" });
      const task = type === "qemu" ? "qmigrate" : "vzmigrate";
      stage.source.host.platform.tasks.planFailure({ type: task, vmid, atFraction: 1, message: "too late", times: 1 });
      const { migrationId, jobId } = await queueMove(stage, guestId);
      await run(stage, jobId);
      const moved = await migrationRow(stage, migrationId);
      assert.deepEqual([moved["status"], moved["transfer_done"]], ["done_with_warnings", true]);
      const { rows } = await stage.services.pool.query(
        `select name, error from job_step where job_id = $1 and status = 'warned'`,
        [jobId],
      );
      assert.deepEqual(rows, [
        { name: "transfer", error: "the guest has moved, but its transfer ended with: too late" },
      ]);
      await retryMigration(await contextFor(stage.services), migrationId);
      await run(stage, Number((await migrationRow(stage, migrationId))["job_id"]));
      assert.equal((await migrationRow(stage, migrationId))["status"], "done");
    });
  }
});
