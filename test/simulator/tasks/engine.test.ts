// Tests tasks: how they end, are stopped, killed, made to fail, listed and read.
import assert from "node:assert/strict";
import { SimulatedClock } from "../../../simulator/clock.js";
import { TaskEngine } from "../../../simulator/tasks/engine.js";
import { decodeUpid, encodeUpid } from "../../../simulator/tasks/upid.js";
import type { Worker } from "../../../simulator/tasks/worker.js";
import { Asker, panel, standalone } from "../asking.js";

const identity = { label: panel };

function engine(timeFactor = 1000): TaskEngine {
  return new TaskEngine(new SimulatedClock(timeFactor), { bytesPerSecond: 1024 });
}

async function ended(
  tasks: TaskEngine,
  run: (task: Worker) => Promise<void>,
): Promise<{ exit: string; lines: string[] }> {
  const upid = tasks.start({ node: "pvea", type: "qmstart", id: "100", identity, run });
  await tasks.settled(upid);
  const task = tasks.find(upid);
  return { exit: task?.exitstatus ?? "", lines: task?.lines ?? [] };
}

describe("simulator: tasks", () => {
  it("MUST name node, type, object and user in the UPID", () => {
    const parts = {
      node: "pve-1",
      pid: 6373,
      pstart: 423_027,
      starttime: 1_795_223_126,
      type: "qmcreate",
      id: "9000",
      user: panel,
    };
    const upid = "UPID:pve-1:000018E5:00067473:6B00EE56:qmcreate:9000:root@pam!panel:";
    assert.equal(encodeUpid(parts), upid);
    assert.deepEqual(decodeUpid(upid), parts);
    for (const bad of ["", "UPID:nonsense", upid.slice(0, -1), `${upid}x`, upid.replace("000018E5", "18E5")])
      assert.equal(decodeUpid(bad), null, bad);
  });

  it("MUST end OK, with warnings counted, or with the error on one line", async () => {
    assert.deepEqual(await ended(engine(), async (task) => task.log("a\nb")), {
      exit: "OK",
      lines: ["a", "b", "TASK OK"],
    });
    const warned = await ended(engine(), async (task) => task.warn("careful"));
    assert.deepEqual(warned, { exit: "WARNINGS: 1", lines: ["WARN: careful", "TASK WARNINGS: 1"] });
    const failed = await ended(engine(), async (task) => task.fail("first\nsecond"));
    assert.deepEqual(failed, { exit: "first second", lines: ["TASK ERROR: first second"] });
  });

  it("MUST spend simulated time divided by the factor, also when it changes on the way", async () => {
    const [clock, other] = [new SimulatedClock(1), new SimulatedClock(1)];
    const over = new AbortController();
    const slept = clock.sleep(600_000).then(() => "hurried");
    const unhurried = other.sleep(300_000, over.signal).then(() => "unhurried");
    clock.timeFactor = 10_000;
    assert.equal(await Promise.race([slept, unhurried]), "hurried");
    over.abort(new Error("over"));
    await assert.rejects(unhurried, /over/);
    assert.throws(() => {
      clock.timeFactor = 0;
    }, RangeError);
  });

  it("MUST report bytes about once a simulated second", async () => {
    const seen: number[] = [];
    const { exit } = await ended(engine(), (task) => task.transfer(2500, (done) => seen.push(done)));
    assert.equal(exit, "OK");
    assert.deepEqual(seen, [1024, 2048, 2500]);
  });

  it("MUST die of an interrupt when stopped", async () => {
    const tasks = engine(100);
    const upid = tasks.start({
      node: "pvea",
      type: "qmigrate",
      id: "100",
      identity,
      run: (task) => task.sleep(600_000),
    });
    await tasks.stop(upid);
    assert.equal(tasks.find(upid)?.exitstatus, "received interrupt");
  });

  it("MUST be killed after five seconds when it does not react, without a last line", async () => {
    const tasks = engine(500);
    const upid = tasks.start({
      node: "pvea",
      type: "qmshutdown",
      id: "100",
      identity,
      run: (task) => task.sleepThroughStop(600_000),
    });
    await tasks.stop(upid);
    const task = tasks.find(upid);
    assert.equal(task?.exitstatus, "unexpected status");
    assert.deepEqual(task?.lines, []);
    assert.equal(tasks.active().length, 0);
  });

  it("MUST fail at the ordered fraction, only as often as ordered", async () => {
    const tasks = engine();
    tasks.planFailure({ type: "qmstart", vmid: 100, atFraction: 0.5, message: "disk on fire", times: 1 });
    const steps: string[] = [];
    const run = async (task: Worker): Promise<void> => {
      await task.sleep(400);
      steps.push("first");
      await task.sleep(600);
      steps.push("second");
    };
    assert.equal((await ended(tasks, run)).exit, "disk on fire");
    assert.deepEqual(steps, ["first"]);
    assert.equal((await ended(tasks, run)).exit, "OK");
  });

  it("MUST answer status, log pages and lists as Proxmox VE does", async () => {
    const asker = new Asker(standalone());
    await asker.makeVm(100);
    await asker.run("POST /nodes/pvea/qemu/100/status/start");
    await asker.run("POST /nodes/pvea/qemu/100/status/start");
    const rows = await asker.rows("GET /nodes/pvea/tasks", { errors: "1" });
    assert.deepEqual(
      rows.map((row) => [row.type, row.status, row.user, row.tokenid]),
      [["qmstart", "VM 100 already running", "root@pam", "panel"]],
    );
    const upid = encodeURIComponent(String(rows[0]?.upid));
    const page = await asker.ask(`GET /nodes/pvea/tasks/${upid}/log`, { start: "0", limit: "1" });
    assert.deepEqual(page.data, [{ n: 1, t: "TASK ERROR: VM 100 already running" }]);
    assert.equal(page.total, 1);
    assert.equal((await asker.record(`GET /nodes/pvea/tasks/${upid}/status`)).status, "stopped");
    const all = await asker.ask("GET /nodes/pvea/tasks", { start: "1", limit: "1" });
    assert.equal(all.total, 3);
    assert.deepEqual(
      (await asker.rows("GET /nodes/pvea/tasks", { start: "1", limit: "1" })).map((row) => row.type),
      ["qmstart"],
    );
  });

  it("MUST distinguish malformed from unknown UPIDs, except in the log", async () => {
    const asker = new Asker(standalone());
    const ghost = encodeURIComponent("UPID:pvea:0000FFFE:00069494:6B00EEA9:qmshutdown:102:root@pam!panel:");
    const status = await asker.ask(`GET /nodes/pvea/tasks/${ghost}/status`);
    assert.deepEqual([status.status, status.errors], [400, { upid: "no such task" }]);
    const bad = await asker.ask("GET /nodes/pvea/tasks/UPID:nonsense/status");
    assert.deepEqual([bad.status, bad.errors], [400, { upid: "unable to parse worker upid" }]);
    const log = await asker.rows(`GET /nodes/pvea/tasks/${ghost}/log`);
    assert.deepEqual(log, [{ n: 1, t: "unable to open file - No such file or directory" }]);
  });

  it("MUST show running tasks with the token in the user, ended ones with it apart", async () => {
    const asker = new Asker(standalone({ timeFactor: 1 }));
    const upid = asker.platform.tasks.start({
      node: "pvea",
      type: "vzdump",
      id: "",
      identity,
      run: (task) => task.sleep(60_000),
    });
    const [active] = await asker.rows("GET /nodes/pvea/tasks", { source: "active" });
    assert.deepEqual(
      [active?.user, active?.tokenid, active?.status, active?.saved],
      [panel, undefined, "RUNNING", "0"],
    );
    const [line] = await asker.rows(`GET /nodes/pvea/tasks/${encodeURIComponent(upid)}/log`);
    assert.deepEqual(line, { n: 1, t: "no content" });
    assert.equal((await asker.ask(`DELETE /nodes/pvea/tasks/${encodeURIComponent(upid)}`)).status, 200);
    assert.deepEqual(await asker.rows("GET /nodes/pvea/tasks", { source: "active" }), []);
  });

  it("MUST let only owners and those with rights read or stop a task", async () => {
    const asker = new Asker(standalone());
    await asker.data("POST /access/users/root@pam/token/viewer");
    const upid = asker.platform.tasks.start({
      node: "pvea",
      type: "vzdump",
      id: "",
      identity,
      run: (task) => task.sleep(600_000),
    });
    const path = `/nodes/pvea/tasks/${encodeURIComponent(upid)}`;
    const viewer = asker.as("root@pam!viewer");
    assert.equal((await viewer.ask(`GET ${path}/status`)).message, "Permission check failed (/nodes/pvea, Sys.Audit)");
    assert.equal((await viewer.ask(`DELETE ${path}`)).message, "Permission check failed (/nodes/pvea, Sys.Modify)");
    assert.deepEqual(await viewer.rows("GET /nodes/pvea/tasks", { source: "all" }), []);
    assert.equal((await asker.as("root@pam").ask(`DELETE ${path}`)).status, 200);
  });
});
