// Moves of guests that something else has locked for a moment: the transfer begins once the lock is free, and is made once.
import assert from "node:assert/strict";
import { retryMigration } from "../../../src/actions/migration/retry.js";
import { runJob } from "../../../jobs/engine/executor.js";
import { GuestType } from "../../../src/core/enums.js";
import type { RemoteMigration } from "../../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import { control } from "../../inventory/support/control.js";
import { LeapableTime, withoutPauses } from "../../support/handTime.js";
import { contextFor } from "../../support/viewers.js";
import { until } from "../../support/until.js";
import { changedHosts } from "../changedHosts.js";
import {
  executorFor,
  guestOn,
  leftovers,
  migrationRow,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  run,
  transfersOf,
  type MoveStage,
} from "./stage.js";

const BUSY = "can't lock file '/var/lock/qemu-server/lock-VMID.conf' - got timeout";

describe("a move of a guest that something else has locked", () => {
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage({ stopwatch: withoutPauses(15_000) });
  });
  after(() => stage.close());

  const place = (vmid: number): Promise<number> => placeAndSync(stage, { type: "qemu", vmid, status: "stopped" });
  const refuse = (method: string, path: string, vmid: number) =>
    control(stage.source.host.control).post("/faults", {
      method,
      path,
      times: 2,
      effect: "status",
      status: 500,
      message: BUSY.replace("VMID", String(vmid)),
    });

  const assertMoved = async (migrationId: number, vmid: number): Promise<void> => {
    const { status, error } = await migrationRow(stage, migrationId);
    assert.deepEqual([status, error], ["done", null]);
    assert.notEqual(guestOn(stage.target, vmid), undefined);
    assert.equal(guestOn(stage.source, vmid)?.config["tags"], "drover-migrated");
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  };

  it("orders the transfer again when the source refuses it for the lock", async () => {
    const guestId = await place(110);
    await refuse("POST", "/qemu/110/remote_migrate$", 110);
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    await assertMoved(migrationId, 110);
    assert.equal(transfersOf(stage, 110), 1);
  });

  it("orders it again when its task has ended for the lock, before anything was copied", async () => {
    const guestId = await place(111);
    const { promise: freed, resolve: free } = Promise.withResolvers<void>();
    const { migrationId, jobId } = await queueMove(stage, guestId);
    const held = stage.source.host.platform.locks.hold({ type: GuestType.QEMU, vmid: 111 }, () => freed);
    const ended = run(stage, jobId);
    await until("two transfers have failed of the lock", () => transfersOf(stage, 111) > 2);
    assert.equal(guestOn(stage.target, 111), undefined);
    free();
    await Promise.all([held, ended]);
    await assertMoved(migrationId, 111);
  });

  it("gives up when the time of the setting is up: the guest stays as it was", async () => {
    const guestId = await place(112);
    await stage.services.pool.query(`update setting set lock_wait_seconds = 0`);
    await refuse("POST", "/qemu/112/remote_migrate$", 112);
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    await stage.services.pool.query(`update setting set lock_wait_seconds = 300`);
    const { status, error } = await migrationRow(stage, migrationId);
    assert.equal(status, "failed");
    assert.match(String(error), /lock-112\.conf' - got timeout$/);
    assert.equal(guestOn(stage.source, 112)?.config["lock"], undefined);
    assert.equal(guestOn(stage.target, 112), undefined);
    await control(stage.source.host.control).delete("/faults");
  });

  it("marks the original when its lock is free again", async () => {
    const guestId = await place(113);
    await refuse("POST", "/qemu/113/config$", 113);
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    await assertMoved(migrationId, 113);
  });

  it("marks the original again when the task of that has ended for its lock", async () => {
    const guestId = await place(115);
    const message = BUSY.replace("VMID", "115");
    const failure = { type: "qmconfig", vmid: 115, atFraction: 0, message, times: 1 };
    stage.source.host.platform.tasks.planFailure(failure);
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    await assertMoved(migrationId, 115);
  });
});

/** The source tells nothing of the transfer, which it makes while the rollback waits for its tasks to end. */
function makingLate(): (host: Hypervisor) => Partial<Hypervisor> {
  let ordered: RemoteMigration | null = null;
  let isMade = false;
  return (host) => ({
    migrateRemotely(request) {
      ordered = request;
      return Promise.reject(platformError(PlatformReason.UNCERTAIN, "no answer"));
    },
    guestTasks: (node, vmid) =>
      node === "pvea" && ordered !== null
        ? Promise.reject(platformError(PlatformReason.LOCKED, BUSY))
        : host.guestTasks(node, vmid),
    async activeTasks(node, vmid) {
      if (node === "pvea" && ordered !== null && !isMade) {
        isMade = true;
        await host.waitForTask(await host.migrateRemotely(ordered));
      }
      return host.activeTasks(node, vmid);
    },
  });
}

describe("a transfer whose answer is lost, while a lock refuses every look for it", () => {
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  it("stays on record, and the rollback finds the guest where it went", async () => {
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: 114, status: "stopped" });
    await stage.services.pool.query(`update setting set lock_wait_seconds = 0`);
    const { migrationId, jobId } = await queueMove(stage, guestId);
    const services = { ...stage.services, hypervisors: changedHosts(stage.services.hypervisors, makingLate()) };
    const stopwatch = new LeapableTime({ leastMs: 500, mostMs: 15_000 });
    stopwatch.leaps = true;
    await runJob({ ...executorFor(services), stopwatch }, jobId);
    const { error } = await migrationRow(stage, migrationId);
    assert.match(
      String(error),
      /left behind: guest 114 on node pvea, which has moved to pveb all the same: retry the move$/,
    );
    assert.equal(transfersOf(stage, 114), 1);
    await run(stage, await retried(migrationId));
    assert.equal((await migrationRow(stage, migrationId))["status"], "done");
    assert.equal(transfersOf(stage, 114), 1);
    assert.equal(guestOn(stage.source, 114)?.config["tags"], "drover-migrated");
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  /** @returns the id of its job */
  async function retried(migrationId: number): Promise<number> {
    await retryMigration(await contextFor(stage.services), migrationId);
    return Number((await migrationRow(stage, migrationId))["job_id"]);
  }
});
