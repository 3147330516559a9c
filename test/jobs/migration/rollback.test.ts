// What a broken move leaves: the target is cleaned, the source kept, and what could not be removed is named or left to the sweep.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import { sweepTokens } from "../../../jobs/migration/removeTokens.js";
import { DroverError } from "../../../src/errors/errors.js";
import type { Hypervisors } from "../../../src/hypervisor/hypervisor.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import { LeapableTime } from "../../support/handTime.js";
import { changedHosts } from "../changedHosts.js";
import { dyingPool } from "../killing.js";
import { breakRequests, retry, setSpeed } from "./faults.js";
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
import { until } from "../../support/until.js";

const forbid = (): Promise<never> => Promise.reject(platformError(PlatformReason.FORBIDDEN, "not now"));
const failOfOurs = (): Promise<never> => Promise.reject(new TypeError("a fault of ours"));

/** Whether a statement records that the guest has moved. */
const isFound = (statement: unknown): boolean => JSON.stringify(statement).includes("transferDone");

describe("a broken move is rolled back", function () {
  this.timeout(1_800_000);
  let stage: MoveStage;
  let vmid = 5500;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  for (const { type, status } of [
    { type: "qemu", status: "stopped" },
    { type: "qemu", status: "running" },
    { type: "lxc", status: "running" },
  ] as const) {
    it(`cleans the target and keeps the source when the transfer of a ${status} ${type} guest is killed`, async () => {
      const number = vmid++;
      const move = await queueMove(stage, await placeAndSync(stage, { type, vmid: number, status }));
      await setSpeed(stage.source, { bytesPerSecond: 1e6 });
      const running = run(stage, move.jobId);
      const { tasks } = stage.source.host.platform;
      await until("the guest is arriving", () => guestOn(stage.target, number));
      tasks.killNode(stage.source.node);
      await running;
      await setSpeed(stage.source, { bytesPerSecond: 1e9 });
      assert.equal((await migrationRow(stage, move.migrationId))["status"], "failed");
      const source = guestOn(stage.source, number);
      assert.equal(source?.config["lock"], undefined);
      assert.equal(source?.runtime !== null, status === "running");
      assert.equal(guestOn(stage.target, number), undefined);
      assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
      assert.equal((await retry(stage, move))["status"], "done");
    });
  }

  it("removes from the target what it has unlocked there although that is refused at first, with a volume of no configuration", async () => {
    const number = vmid++;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped" }));
    await setSpeed(stage.source, { bytesPerSecond: 1e4 });
    await breakRequests(stage.target, { method: "DELETE", path: `/qemu/${number}$`, status: 595 });
    const running = run(stage, move.jobId);
    const { state } = stage.target.host.platform;
    const isCopying = (): boolean => state.volumes.some((volume) => volume.vmid === number);
    await until("a volume is being copied", isCopying);
    stage.source.host.platform.tasks.killNode(stage.source.node);
    await running;
    await setSpeed(stage.source, { bytesPerSecond: 1e9 });
    assert.equal(guestOn(stage.target, number), undefined);
    assert.deepEqual(
      state.volumes.filter((volume) => volume.vmid === number),
      [],
    );
    assert.doesNotMatch(String((await migrationRow(stage, move.migrationId))["error"]), /left behind/);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  it("leaves the guest locked, and names it, while another task works on it at the source", async () => {
    const number = vmid++;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped" }));
    await setSpeed(stage.source, { bytesPerSecond: 1e6 });
    // The source is asked again and again at once; at the target, tasks get the time that they need.
    const stopwatch = new LeapableTime({ leastMs: 250, mostMs: 15_000 });
    let isKilled = false;
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
      activeTasks: async (node, guest) => {
        stopwatch.leaps = isKilled && node === stage.source.node;
        return stopwatch.leaps ? host.guestTasks(node, guest) : host.activeTasks(node, guest);
      },
    }));
    const running = runJob({ ...executorFor({ ...stage.services, hypervisors }), stopwatch }, move.jobId);
    await until("the guest is arriving", () => guestOn(stage.target, number));
    isKilled = true;
    stage.source.host.platform.tasks.killNode(stage.source.node);
    await running;
    await setSpeed(stage.source, { bytesPerSecond: 1e9 });
    const { error } = await migrationRow(stage, move.migrationId);
    assert.match(
      String(error),
      new RegExp(`; left behind: guest ${number} on node pvea \\(a task still works on it\\)$`),
    );
    assert.equal(guestOn(stage.source, number)?.config["lock"], "migrate");
    assert.equal(guestOn(stage.target, number), undefined);
  });

  it("has a machine that had given its state away go on, although the first task of that fails", async () => {
    const number = vmid++;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: number, status: "running" }));
    await setSpeed(stage.source, { bytesPerSecond: 1e6 });
    const { tasks } = stage.source.host.platform;
    const message = `VM ${number} qmp command 'cont' failed - got timeout`;
    tasks.planFailure({ type: "qmresume", vmid: number, atFraction: 0, message, times: 1 });
    const running = run(stage, move.jobId);
    await until("the guest is arriving", () => guestOn(stage.target, number)?.runtime);
    tasks.killNode(stage.source.node);
    Object.assign(guestOn(stage.source, number)?.runtime ?? {}, { qmpstatus: "postmigrate" });
    await running;
    await setSpeed(stage.source, { bytesPerSecond: 1e9 });
    const { status, error } = await migrationRow(stage, move.migrationId);
    assert.equal(status, "failed");
    assert.doesNotMatch(String(error), /left behind/);
    assert.equal(guestOn(stage.source, number)?.runtime?.qmpstatus, "running");
    assert.equal(guestOn(stage.target, number), undefined);
  });

  it("says that the guest has moved all the same, also when the worker that has found it dies right afterwards", async () => {
    const number = vmid++;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped" }));
    let isToldAgain = false;
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
      guestTasks: (...call) => {
        if (isToldAgain || transfersOf(stage, number) === 0) return host.guestTasks(...call);
        isToldAgain = true;
        return Promise.reject(new DroverError("platform", "nobody can tell"));
      },
    }));
    const { pool, died } = dyingPool(stage.services.pool, { write: 1, moment: "before", behind: isFound });
    await runJob(executorFor({ ...stage.services, hypervisors, pool }), move.jobId);
    const found = await migrationRow(stage, move.migrationId);
    assert.deepEqual([died(), found["status"], found["transfer_done"]], [true, "running", true]);
    await stage.services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [
      move.jobId,
    ]);
    await run(stage, move.jobId);
    const { status, error } = await migrationRow(stage, move.migrationId);
    assert.equal(status, "failed");
    assert.match(
      String(error),
      new RegExp(`guest ${number} on node pvea, which has moved to pveb all the same: retry`),
    );
    assert.equal((await retry(stage, move))["status"], "done");
    assert.equal(transfersOf(stage, number), 1);
  });

  it("ends with what is left when the rollback meets a fault of ours", async () => {
    const number = vmid++;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped" }));
    const { hypervisors } = stage.services;
    const faulty: Hypervisors = {
      of: (id) => hypervisors.of(id),
      prompt: (id) => hypervisors.prompt(id),
      patient: async (id, signal) => ({
        ...(await hypervisors.patient(id, signal)),
        migrateRemotely: failOfOurs,
        activeTasks: failOfOurs,
      }),
      once: (id) => hypervisors.once(id),
      connect: (connection) => hypervisors.connect(connection),
      forget: (id) => hypervisors.forget(id),
      close: () => hypervisors.close(),
    };
    await runJob(executorFor({ ...stage.services, hypervisors: faulty }), move.jobId);
    const row = await migrationRow(stage, move.migrationId);
    assert.equal(row["status"], "failed");
    assert.match(String(row["error"]), /: internal error.*; left behind: internal error/);
    assert.equal((await leftovers(stage))["locks"], 0);
    assert.equal(await sweepTokens(stage.services), 1);
  });

  for (const [what, refusal] of [
    ["it", { deleteToken: forbid }],
    ["one of its rules", { revoke: forbid }],
  ] as const) {
    it(`leaves a token to the sweep when ${what} cannot be removed at once`, async () => {
      const guest = await placeAndSync(stage, { type: "qemu", vmid: vmid++, status: "stopped" });
      const move = await queueMove(stage, guest);
      const hypervisors = changedHosts(stage.services.hypervisors, () => refusal);
      await runJob(executorFor({ ...stage.services, hypervisors }), move.jobId);
      const row = await migrationRow(stage, move.migrationId);
      assert.equal(row["status"], "done");
      assert.equal((await leftovers(stage))["tokens"], 1);
      assert.equal(await sweepTokens(stage.services), 1);
      assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    });
  }
});
