// The room that moves reserve on the target: on every storage that they fill, and until the target counts the guest.
import assert from "node:assert/strict";
import { planMigration } from "../../../src/migration/plan.js";
import { retryMigration } from "../../../src/actions/migration/retry.js";
import { startMove } from "../../../src/actions/migration/start.js";
import { DroverError } from "../../../src/errors/errors.js";
import { syncHost } from "../../../src/inventory/syncHost.js";
import { refusedAs } from "../../support/refusal.js";
import { contextFor } from "../../support/viewers.js";
import {
  addStorage,
  beat,
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
  type MoveStage,
  type Side,
} from "./stage.js";

const GIB = 1024 ** 3;

const isRefusal = (error: unknown, reason: string, message: RegExp): boolean =>
  error instanceof DroverError && error.kind === "conflict" && error.reason === reason && message.test(error.message);

describe("the room of moves", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
    for (const side of [stage.source, stage.target]) {
      for (const name of ["fast", "slow"]) await addStorage(stage, side, { name, type: "lvm", totalGib: 10 });
    }
  });
  after(() => stage.close());

  const place = (vmid: number, fastGib: number, slowGib: number): Promise<number> => {
    const config = {
      scsi0: `fast:vm-${vmid}-disk-0,size=${fastGib}G`,
      scsi1: `slow:vm-${vmid}-disk-1,size=${slowGib}G`,
    };
    return placeAndSync(stage, { type: "qemu", vmid, status: "running", config });
  };

  /** What is reserved for jobs on the target's node. */
  const reserved = async (): Promise<Record<string, unknown>[]> => {
    const { rows } = await stage.services.pool.query<Record<string, unknown>>(
      `select r.storage, sum(r.disk_bytes)::float8 / 2 ^ 30 as gib, sum(r.memory_mb)::int as "memoryMb"
       from capacity_reservation r join node n on n.id = r.node_id where n.host_id = $1 group by r.storage order by 1`,
      [stage.target.hostId],
    );
    return rows;
  };

  const sync = ({ hostId }: Side): Promise<unknown> => syncHost(stage.services, hostId, { thorough: true });

  it("is reserved on each storage, RAM once, so that the next move sees what is left", async () => {
    const [first, second] = [await place(501, 2, 6), await place(502, 1, 5)];
    const { jobId } = await queueMove(stage, first);
    assert.deepEqual(await reserved(), [
      { storage: "fast", gib: 2, memoryMb: 64 },
      { storage: "slow", gib: 6, memoryMb: 0 },
    ]);
    const { problems } = await plan(stage, moveInput(stage, second));
    assert.deepEqual(
      problems.map(({ code, message }) => [code, message]),
      [["NOT_ENOUGH_STORAGE", "slow has 4 GiB free of 5 GiB needed"]],
    );
    const refused = await refusedAs("conflict", queueMove(stage, second));
    assert.equal(refused.reason, "NOT_ENOUGH_STORAGE");
    await run(stage, jobId);
  });

  it("stays reserved when the source has been read since, until the target counts the guest", async () => {
    assert.equal((await reserved()).length, 2);
    await sync(stage.source);
    assert.equal((await reserved()).length, 2);
    await sync(stage.target);
    assert.deepEqual(await reserved(), []);
  });

  it("is reserved again by a retry, and released when it fails", async () => {
    const guestId = await place(503, 1, 1);
    const { tasks } = stage.source.host.platform;
    tasks.planFailure({ type: "qmigrate", vmid: 503, atFraction: 0.1, message: "no route", times: 1 });
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    assert.deepEqual(await reserved(), []);
    await retryMigration(await contextFor(stage.services), migrationId);
    assert.deepEqual(await reserved(), [
      { storage: "fast", gib: 1, memoryMb: 64 },
      { storage: "slow", gib: 1, memoryMb: 0 },
    ]);
    await run(stage, Number((await migrationRow(stage, migrationId))["job_id"]));
    assert.equal((await migrationRow(stage, migrationId))["status"], "done");
  });

  it("is no RAM for a guest that is stopped, also where the target has none free", async () => {
    const config = { scsi0: "fast:vm-507-disk-0,size=1G" };
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: 507, status: "stopped", config });
    await stage.services.pool.query(`update node set memory_used_mb = memory_mb where host_id = $1`, [
      stage.target.hostId,
    ]);
    const { jobId } = await queueMove(stage, guestId);
    const { rows } = await stage.services.pool.query(
      `select storage, memory_mb as "memoryMb" from capacity_reservation where job_id = $1`,
      [jobId],
    );
    assert.deepEqual(rows, [{ storage: "fast", memoryMb: 0 }]);
    await run(stage, jobId);
    await sync(stage.target);
  });

  it("is asked for disks that are attached nowhere, whose size only the storage reports", async () => {
    const volume = { storage: "fast", node: "pvea", name: "vm-504-disk-1", format: "raw", vmid: 504, parent: null };
    const { volumes } = stage.source.host.platform.state;
    volumes.push({ ...volume, content: "images", size: 50 * GIB, used: GIB, ctime: 1, hasSystem: false });
    const config = { unused0: "fast:vm-504-disk-1" };
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: 504, status: "running", config });
    const { problems } = await plan(stage, moveInput(stage, guestId));
    assert.deepEqual(
      problems.map(({ code, message }) => [code, message]),
      [["NOT_ENOUGH_STORAGE", "fast has 6 GiB free of 50 GiB needed"]],
    );
  });

  /** Plans the moves of ten guests while all the room is free, and starts them at once. @returns ids, and refusals */
  const startTen = async (guestIds: readonly number[]) => {
    const context = await contextFor(stage.services);
    await beat(stage);
    const plans = await Promise.all(guestIds.map((guestId) => planMigration(context, moveInput(stage, guestId))));
    assert.deepEqual(new Set(plans.map((planned) => planned.plan.startable)), new Set([true]));
    const noRun = { evacuationId: null, balanceRunId: null };
    const answers = await Promise.allSettled(plans.map((planned) => startMove(context, planned, noRun)));
    return {
      started: answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : [])),
      refused: answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : [])),
    };
  };
  /** Lets so many MiB of RAM be free on the target, besides what is reserved. */
  const leave = (mib: number): Promise<unknown> =>
    stage.services.pool.query(
      `update node n set memory_used_mb = memory_mb - $2 - (
         select coalesce(sum(r.memory_mb), 0) from capacity_reservation r where r.node_id = n.id) where n.host_id = $1`,
      [stage.target.hostId, mib],
    );
  const TEN = Array.from({ length: 10 }, (_, index) => index);

  it("goes to as many moves as it has disk space for when ten start at once, and all of those arrive", async () => {
    for (const side of [stage.source, stage.target])
      await addStorage(stage, side, { name: "lean", type: "lvm", totalGib: 20 });
    const guestIds: number[] = [];
    for (const index of TEN) {
      const vmid = 520 + index;
      const config = { scsi1: `lean:vm-${vmid}-disk-1,size=2G` };
      guestIds.push(await placeAndSync(stage, { type: "qemu", vmid, status: "stopped", config }));
    }
    await stage.services.pool.query(
      `update storage s set free_bytes = 9.0 * 2 ^ 30 from node n where n.id = s.node_id and n.host_id = $1 and s.name = 'lean'`,
      [stage.target.hostId],
    );
    const { started, refused } = await startTen(guestIds);
    assert.equal(started.length, 4);
    const message = /^lean has 1 GiB free of 2 GiB needed$/;
    assert.deepEqual(
      refused.map((error: unknown) => isRefusal(error, "NOT_ENOUGH_STORAGE", message)),
      Array.from({ length: 6 }, () => true),
    );
    for (const id of started) {
      await run(stage, Number((await migrationRow(stage, id))["job_id"]));
      assert.equal((await migrationRow(stage, id))["status"], "done", String((await migrationRow(stage, id))["error"]));
    }
  });

  it("goes to as many moves as it has RAM for when ten start at once", async () => {
    const guestIds: number[] = [];
    for (const index of TEN)
      guestIds.push(await placeAndSync(stage, { type: "qemu", vmid: 540 + index, status: "running" }));
    await sync(stage.target);
    await leave(4 * 64 + 63);
    const { started, refused } = await startTen(guestIds);
    assert.equal(started.length, 4);
    const message = /^the guest needs 64 MiB of RAM, pveb has 63 MiB free$/;
    assert.deepEqual(
      refused.map((error: unknown) => isRefusal(error, "NOT_ENOUGH_MEMORY", message)),
      Array.from({ length: 6 }, () => true),
    );
    for (const id of started) await run(stage, Number((await migrationRow(stage, id))["job_id"]));
  });

  it("is asked for again by a retry, which is refused when others have it by now", async () => {
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: 560, status: "running" });
    const { tasks } = stage.source.host.platform;
    tasks.planFailure({ type: "qmigrate", vmid: 560, atFraction: 0.1, message: "no route", times: 1 });
    await sync(stage.target);
    const { migrationId, jobId } = await queueMove(stage, guestId);
    await run(stage, jobId);
    await leave(63);
    const context = await contextFor(stage.services);
    const refused = await refusedAs("conflict", retryMigration(context, migrationId));
    assert.ok(isRefusal(refused, "NOT_ENOUGH_MEMORY", /^the guest needs 64 MiB of RAM, pveb has 63 MiB free$/));
    assert.equal((await migrationRow(stage, migrationId))["status"], "failed");
    await leave(64);
    await retryMigration(context, migrationId);
    await run(stage, Number((await migrationRow(stage, migrationId))["job_id"]));
    assert.equal((await migrationRow(stage, migrationId))["status"], "done");
  });

  for (const [vmid, status] of [
    [505, "running"],
    [506, "stopped"],
  ] as const) {
    it(`is missing when a thin storage fills up under a ${status} guest: nothing is left, and the guest is as it was`, async () => {
      for (const side of [stage.source, stage.target]) {
        await addStorage(stage, side, { name: `thin${vmid}`, type: "lvmthin", totalGib: 10 });
      }
      const config = { scsi1: `thin${vmid}:vm-${vmid}-disk-1,size=5G` };
      const guestId = await placeAndSync(stage, { type: "qemu", vmid, status, config });
      const { migrationId, jobId } = await queueMove(stage, guestId);
      const storage = stage.target.host.platform.state.storages.get(`thin${vmid}`);
      assert.ok(storage);
      storage.foreignBytes = 8 * GIB;
      await run(stage, jobId);
      const row = await migrationRow(stage, migrationId);
      assert.equal(row["status"], "failed");
      assert.match(String(row["error"]), /: the transfer failed: .*(?:Input\/output error|broken pipe)/);
      assert.equal(guestOn(stage.target, vmid), undefined);
      assert.equal(stage.target.host.platform.state.volumes.filter((volume) => volume.vmid === vmid).length, 0);
      assert.equal(guestOn(stage.source, vmid)?.config["lock"], undefined);
      assert.equal(guestOn(stage.source, vmid)?.runtime !== null, status === "running");
      assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    });
  }
});
