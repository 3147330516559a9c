// Moves in which something breaks: each step once, the way there, the transfer itself, and what comes after it.
import assert from "node:assert/strict";
import { mock } from "node:test";
import { runJob } from "../../../jobs/engine/executor.js";
import { sweepTokens } from "../../../jobs/migration/removeTokens.js";
import { DroverError } from "../../../src/errors/errors.js";
import { platformError, PlatformReason } from "../../../src/hypervisor/platformError.js";
import { changedHosts } from "../changedHosts.js";
import { requestsOf, tokensOrdered } from "./connectedAs.js";
import { breakRequests, retry, setSpeed, type Fate, type Fault } from "./faults.js";
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
import { PLACE } from "../place.js";
import { undosOf } from "../undos.js";

const stepsOf = async (stage: MoveStage, jobId: unknown): Promise<Record<string, string>> => {
  const { rows } = await stage.services.pool.query<{ name: string; status: string }>(
    `select name, status from job_step where job_id = $1`,
    [jobId],
  );
  return Object.fromEntries(rows.map(({ name, status }) => [name, status]));
};

describe("a move in which something breaks", function () {
  this.timeout(1_800_000);
  let stage: MoveStage;
  let vmid = 5000;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  const start = async (type: "qemu" | "lxc", status: "running" | "stopped", breaking: readonly Fault[]) => {
    const number = vmid++;
    const move = await queueMove(stage, await placeAndSync(stage, { type, vmid: number, status }));
    for (const { side, ...fate } of breaking) await breakRequests(stage[side], fate);
    const since = (await requestsOf(stage.target)).at(-1)?.n ?? 0;
    await run(stage, move.jobId);
    return { ...move, vmid: number, since, row: await migrationRow(stage, move.migrationId) };
  };

  const early: readonly (Fault & { step: string })[] = [
    { step: "preflight", side: "source", method: "GET", path: "/snapshot$", status: 403 },
    { step: "target_token", side: "target", method: "POST", path: "/token/mig-" },
    { step: "transfer", side: "source", method: "POST", path: "/remote_migrate$" },
  ];

  for (const { step, ...fault } of early) {
    it(`fails at ${step} with the platform's words, leaves nothing, and succeeds when it is retried`, async () => {
      const broken = await start("qemu", "running", [fault]);
      assert.equal(broken.row["status"], "failed");
      assert.match(String(broken.row["error"]), /broken for once/);
      assert.notEqual(guestOn(stage.source, broken.vmid)?.runtime, null);
      assert.equal(guestOn(stage.target, broken.vmid), undefined);
      assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
      const again = await retry(stage, broken);
      assert.equal(again["status"], "done");
      assert.equal(transfersOf(stage, broken.vmid), 1);
    });
  }

  it("waits before the transfer for hosts that fail, or accept no credential, for a moment", async () => {
    const { row, vmid: moved } = await start("qemu", "running", [
      { side: "source", method: "GET", path: "/snapshot$", times: 4 },
      { side: "target", method: "GET", path: "/access/permissions$", status: 401, message: "authentication failure" },
    ]);
    assert.deepEqual([row["status"], row["error"]], ["done", null]);
    assert.equal(transfersOf(stage, moved), 1);
  });

  it("finds the transfer whose answer was lost, and starts no other", async () => {
    const lost: Fault = { side: "source", method: "POST", path: "/remote_migrate$", effect: "drop", afterwards: true };
    const { row, vmid: moved } = await start("qemu", "running", [lost]);
    assert.equal(row["error"], null);
    assert.equal(row["status"], "done");
    assert.equal(transfersOf(stage, moved), 1);
  });

  for (const type of ["qemu", "lxc"] as const) {
    it(`removes what the target made for a ${type} guest when its answer never reached the source`, async () => {
      const unheard: Fault = { side: "target", method: "POST", path: "/mtunnel$", effect: "drop", afterwards: true };
      await setSpeed(stage.target, { timeFactor: 1 });
      const broken = await start(type, "running", [unheard]);
      await setSpeed(stage.target, { timeFactor: 500 });
      assert.equal(broken.row["status"], "failed");
      assert.doesNotMatch(String(broken.row["error"]), /left behind/);
      assert.equal(guestOn(stage.target, broken.vmid), undefined);
      assert.equal(guestOn(stage.source, broken.vmid)?.config["lock"], undefined);
      assert.notEqual(guestOn(stage.source, broken.vmid)?.runtime, null);
      assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
      assert.equal((await retry(stage, broken))["status"], "done");
    });
  }

  const blind: readonly (Fate & { what: string })[] = [
    { what: "the state of its task fails with 500", method: "GET", path: "/tasks/.*/status$", times: 6 },
    { what: "the state of its task is refused", method: "GET", path: "/tasks/.*/status$", status: 403 },
    { what: "the log of its task fails with 500", method: "GET", path: "/tasks/.*/log", times: 6 },
  ];
  for (const { what, ...fault } of blind) {
    it(`follows a transfer to its end although ${what} for a while`, async () => {
      const number = vmid++;
      const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped" }));
      await setSpeed(stage.source, { bytesPerSecond: 1e7 });
      const running = run(stage, move.jobId);
      await until("the guest is arriving", () => guestOn(stage.target, number));
      await breakRequests(stage.source, fault);
      await setSpeed(stage.source, { bytesPerSecond: 1e9 });
      await running;
      const row = await migrationRow(stage, move.migrationId);
      assert.deepEqual([row["status"], row["error"]], ["done", null]);
      assert.equal(transfersOf(stage, number), 1);
      assert.equal(guestOn(stage.source, number)?.config["tags"], "drover-migrated");
    });
  }

  const unanswered: readonly Omit<Fate, "method" | "path">[] = [{ times: 4 }, { status: 403 }, { status: 501 }];
  for (const { times = 1, status = 500 } of unanswered) {
    it(`looks again where the guest is when the target answers ${times} times with ${status}`, async () => {
      const { row, vmid: moved } = await start("lxc", "stopped", [
        { side: "target", method: "GET", path: "/config$", times, status },
      ]);
      assert.deepEqual([row["status"], row["error"]], ["done", null]);
      assert.equal(transfersOf(stage, moved), 1);
    });
  }

  it("is found to have moved during the rollback, if that was not known before, and a retry does what is missing", async () => {
    const number = vmid++;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: number, status: "running" }));
    let isToldAgain = false;
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
      guestTasks: (...call) => {
        if (isToldAgain || transfersOf(stage, number) === 0) return host.guestTasks(...call);
        isToldAgain = true;
        return Promise.reject(new DroverError("platform", "nobody can tell"));
      },
    }));
    await runJob(executorFor({ ...stage.services, hypervisors }), move.jobId);
    const row = await migrationRow(stage, move.migrationId);
    assert.deepEqual([row["status"], row["transfer_done"]], ["failed", true]);
    const left = `guest ${number} on node pvea, which has moved to pveb all the same: retry the move`;
    assert.equal(row["error"], `${PLACE}: nobody can tell; left behind: ${left}`);
    assert.deepEqual(await undosOf(stage.services, move.jobId), [
      { name: "transfer", undo: "failed", left },
      { name: "target_token", undo: "done", left: null },
    ]);
    assert.equal((await retry(stage, move))["error"], null);
    assert.equal(transfersOf(stage, number), 1);
    assert.notEqual(guestOn(stage.target, number)?.runtime, null);
    assert.equal(guestOn(stage.source, number)?.config["tags"], "drover-migrated");
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  it("fails, and names the guest, when the source never answers again", async () => {
    const number = vmid++;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: number, status: "stopped" }));
    const now = performance.now.bind(performance);
    let laterMs = 0;
    const clock = mock.method(performance, "now", () => now() + laterMs);
    const away = (): Promise<never> => {
      laterMs += 2 * 3_600_000;
      return Promise.reject(platformError(PlatformReason.UNREACHABLE, "the host is away"));
    };
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
      watchTransfer: () => ({ look: away }),
      guestTasks: (...call) => (laterMs === 0 ? host.guestTasks(...call) : away()),
    }));
    await runJob(executorFor({ ...stage.services, hypervisors }), move.jobId);
    clock.mock.restore();
    const row = await migrationRow(stage, move.migrationId);
    assert.equal(row["status"], "failed");
    assert.match(String(row["error"]), /: the host is away; left behind: /);
  });

  const unknown: readonly (Fault & { what: string })[] = [
    { what: "replication", side: "source", method: "GET", path: "/replication" },
    { what: "the source's versions by node", side: "source", method: "GET", path: "/nodes/pvea/version$" },
    { what: "the target's certificates", side: "target", method: "GET", path: "/certificates/info$" },
    { what: "the log of a task", side: "source", method: "GET", path: "/tasks/.*/log" },
    { what: "the list of its roles", side: "target", method: "GET", path: "/access/roles$" },
    { what: "the target's options", side: "target", method: "GET", path: "/cluster/options$" },
  ];
  for (const { what, ...fault } of unknown) {
    it(`moves a guest without ${what}, which a host may not provide`, async () => {
      const refusal = { times: 100, status: 501, message: "Method 'GET /x' not implemented" };
      const { row } = await start("qemu", "stopped", [{ ...refusal, ...fault }]);
      await fetch(`${stage[fault.side].host.control}/faults`, { method: "DELETE" });
      await sweepTokens(stage.services);
      assert.deepEqual([row["status"], row["error"]], ["done", null]);
      assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    });
  }

  it("fails when the target grants no single rights, and is retried with a warning where that is allowed", async () => {
    const refusal = { times: 100, status: 501, message: "Method 'PUT /access/acl' not implemented" };
    const broken = await start("qemu", "stopped", [
      { side: "target", method: "PUT", path: "/access/acl$", ...refusal },
    ]);
    await fetch(`${stage.target.host.control}/faults`, { method: "DELETE" });
    await sweepTokens(stage.services);
    assert.equal(broken.row["status"], "failed");
    assert.equal(
      broken.row["error"],
      `${PLACE}: the move's temporary token cannot be limited on host pveb (it refuses to grant DroverMigration on /: ` +
        "host pveb: Method 'PUT /access/acl' not implemented), and the host allows no unrestricted one",
    );
    assert.deepEqual(await tokensOrdered(stage.target, broken.since), ["1"]);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    await breakRequests(stage.target, { method: "PUT", path: "/access/acl$", ...refusal });
    await stage.services.pool.query(`update host set allow_unrestricted_move_token = true`);
    assert.equal((await retry(stage, broken))["status"], "done_with_warnings");
    await stage.services.pool.query(`update host set allow_unrestricted_move_token = false`);
    await fetch(`${stage.target.host.control}/faults`, { method: "DELETE" });
    await sweepTokens(stage.services);
    assert.deepEqual(await tokensOrdered(stage.target, broken.since), ["1", "1", "0"]);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  it("fails before anything is made when the source does not reach the target right before the start", async () => {
    const number = vmid++;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "lxc", vmid: number, status: "running" }));
    stage.refusing.add("tcp_check");
    await run(stage, move.jobId);
    stage.refusing.delete("tcp_check");
    const row = await migrationRow(stage, move.migrationId);
    assert.equal(row["error"], `${PLACE}: pvea does not reach pveb: the agent of ${PLACE} failed: refused`);
    assert.equal(transfersOf(stage, number), 0);
    assert.notEqual(guestOn(stage.source, number)?.runtime, null);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    assert.equal((await retry(stage, move))["status"], "done");
  });

  it("fails after the transfer when the source's agent cannot unlock, and goes on from there without copying", async () => {
    const number = vmid++;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: number, status: "running" }));
    stage.refusing.add("unlock_guest");
    await run(stage, move.jobId);
    stage.refusing.delete("unlock_guest");
    const row = await migrationRow(stage, move.migrationId);
    assert.equal(row["status"], "failed");
    assert.equal(row["transfer_done"], true);
    assert.equal(guestOn(stage.source, number)?.config["lock"], "migrate");
    assert.notEqual(guestOn(stage.target, number)?.runtime, null);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    assert.deepEqual(await undosOf(stage.services, move.jobId), [
      { name: "transfer", undo: "kept", left: null },
      { name: "target_token", undo: "done", left: null },
    ]);
    const again = await retry(stage, move);
    assert.equal(again["status"], "done");
    assert.equal(transfersOf(stage, number), 1);
    assert.equal(guestOn(stage.source, number)?.config["tags"], "drover-migrated");
    assert.equal((await stepsOf(stage, again["job_id"]))["transfer"], "done");
  });
});
