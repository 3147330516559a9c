// Evacuations end to end but for the transfers: simulated hosts, real plans, one guest at a time.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import { startEvacuation } from "../../../src/actions/run/evacuation.js";
import { evacuationCandidates } from "../../../src/actions/run/evacuationCandidates.js";
import { stopRun } from "../../../src/actions/run/run.js";
import { JobKind } from "../../../src/core/enums.js";
import { eventually } from "../../support/eventually.js";
import { meet } from "../../support/meet.js";
import { refusedAs, refusedFields } from "../../support/refusal.js";
import { executorFor, openRunStage, type RunStage } from "./stage.js";

describe("jobs/run: evacuation", () => {
  let stage: RunStage;
  let source: number;
  let target: number;

  beforeEach(async () => {
    stage = await openRunStage();
    [source, target] = stage.hostIds;
  });
  afterEach(() => stage.close());

  const outcomes = async (runId: number) =>
    (await stage.items(runId)).map(({ vmid, status, reason }) => ({ vmid, status, reason }));

  const isInMaintenance = async (): Promise<unknown> =>
    (await stage.services.pool.query(`select maintenance from host where id = $1`, [source])).rows[0]?.maintenance;

  it("moves guests one at a time to the chosen node, in the order that was asked for", async () => {
    const guestIds = await stage.place([{ vmid: 202 }, { vmid: 201, running: true }]);
    const id = await startEvacuation(stage.context, {
      hostId: source,
      targetHostId: target,
      targetNode: "pveb",
      guestIds,
    });
    assert.equal(await isInMaintenance(), true);
    await stage.finish(id);
    assert.deepEqual(await outcomes(id), [
      { vmid: 202, status: "done", reason: null },
      { vmid: 201, status: "done", reason: null },
    ]);
    const { rows } = await stage.services.pool.query(
      `select m.vmid, m.target_node, m.mode, i.finished_at <= lead(m.created_at) over (order by i.position) as apart
       from migration m join run_item i on i.migration_id = m.id where m.evacuation_id = $1 order by i.position`,
      [id],
    );
    assert.deepEqual(rows, [
      { vmid: 202, target_node: "pveb", mode: "offline", apart: true },
      { vmid: 201, target_node: "pveb", mode: "live", apart: null },
    ]);
    assert.equal(await isInMaintenance(), true, "maintenance is left on");
  });

  it("offers guests with destination and pre-flight; templates, copies and busy ones never", async () => {
    const [plain = 0, snapped = 0, copy = 0] = await stage.place([
      { vmid: 301 },
      { vmid: 302, snapshots: ["before"] },
      { vmid: 303 },
    ]);
    await stage.services.pool.query(`update guest set safety_copy = true where id = $1`, [copy]);
    const candidates = await evacuationCandidates(stage.context, { hostId: source });
    assert.deepEqual(
      candidates.map(({ guestId, startable, problems }) => ({
        guestId,
        startable,
        codes: problems.map(({ code }) => code),
      })),
      [
        { guestId: plain, startable: true, codes: [] },
        { guestId: snapped, startable: false, codes: ["HAS_SNAPSHOTS"] },
      ],
    );
    assert.ok(candidates.every(({ toHostId, toNode }) => toHostId !== null && toHostId !== source && toNode !== null));
    const chosen = startEvacuation(stage.context, { hostId: source, guestIds: [copy] });
    assert.equal((await refusedAs("conflict", chosen)).reason, "SAFETY_COPY");
  });

  it("offers and moves a guest to the next best target where the best refuses it", async () => {
    const guestIds = await stage.place([{ vmid: 351 }]);
    await stage.services.pool.query(`update node set memory_used_mb = 0 where name = 'pveb'`);
    const best = stage.hosts[1]?.platform.state.nodes.get("pveb");
    assert.ok(best);
    best.version = "7.2-3";
    const [candidate] = await evacuationCandidates(stage.context, { hostId: source });
    assert.deepEqual(
      { to: candidate?.toNode, startable: candidate?.startable, problems: candidate?.problems },
      { to: "pvec", startable: true, problems: [] },
    );
    const bound = await evacuationCandidates(stage.context, { hostId: source, targetHostId: target });
    assert.deepEqual(
      bound.map(({ toNode, startable, problems }) => [toNode, startable, problems.map(({ code }) => code)]),
      [["pveb", false, ["VERSION_TOO_OLD"]]],
    );
    const id = await startEvacuation(stage.context, { hostId: source, guestIds });
    await stage.finish(id);
    assert.deepEqual(await outcomes(id), [{ vmid: 351, status: "done", reason: null }]);
  });

  it("skips a guest that all targets refuse with what stood against the best", async () => {
    const guestIds = await stage.place([{ vmid: 352 }]);
    await stage.services.pool.query(`update node set memory_used_mb = 0 where name = 'pveb'`);
    for (const [index, version] of ["7.2-3", "7.1-2"].entries()) {
      const { name, platform } = stage.hosts[index + 1] ?? assert.fail("there are two targets");
      Object.assign(platform.state.nodes.get(name) ?? assert.fail("it has a node"), { version });
    }
    const id = await startEvacuation(stage.context, { hostId: source, guestIds });
    await stage.finish(id);
    const [skipped] = await outcomes(id);
    assert.equal(skipped?.status, "skipped");
    assert.match(String(skipped.reason), /pveb .*7\.2-3/);
  });

  it("checks again at each guest's turn, and skips with the reason", async () => {
    const guestIds = await stage.place([{ vmid: 401, snapshots: ["s1"] }, { vmid: 402 }, { vmid: 403 }]);
    const id = await startEvacuation(stage.context, { hostId: source, guestIds });
    stage.hosts[0].platform.state.guests.delete(402);
    await stage.finish(id);
    const [snapped, gone, moved] = await outcomes(id);
    assert.equal(snapped?.status, "skipped");
    assert.match(String(snapped?.reason), /snapshots: s1/);
    assert.equal(gone?.status, "skipped");
    assert.match(String(gone?.reason), /no guest 402/);
    assert.equal(moved?.status, "done");
  });

  /** Runs the run while others take all RAM of the target, between the plan of the guest's move and its start. */
  const finishOvertaken = async (runId: number): Promise<void> => {
    const hold = `select pg_advisory_xact_lock(hashtext('reservations'), ${target})`;
    const fill = `
      insert into capacity_reservation (job_id, node_id, storage, memory_mb, disk_bytes)
      select r.job_id, n.id, '', n.memory_mb - n.memory_used_mb - 32, 0 from run r, node n where r.id = ${runId} and n.host_id = ${target}`;
    const [outcome] = await meet(
      stage.services.pool,
      (client) => client.query(hold),
      [() => stage.finish(runId)],
      (client) => client.query(fill),
    );
    assert.equal(outcome?.status, "fulfilled");
  };

  it("skips a guest, with the numbers, when others take the room between its plan and its start", async () => {
    const guestIds = await stage.place([{ vmid: 451, memory: 64, running: true }]);
    const route = { hostId: source, targetHostId: target, targetNode: "pveb" };
    const id = await startEvacuation(stage.context, { ...route, guestIds });
    await finishOvertaken(id);
    const reason = "the guest needs 64 MiB of RAM, pveb has 32 MiB free";
    assert.deepEqual(await outcomes(id), [{ vmid: 451, status: "skipped", reason }]);
    assert.equal((await stage.services.pool.query(`select from migration`)).rowCount, 0);
  });

  it("moves a guest to the next best target when others take the room of the best at that moment", async () => {
    const guestIds = await stage.place([{ vmid: 452, memory: 64, running: true }]);
    await stage.services.pool.query(`update node set memory_used_mb = 0 where name = 'pveb'`);
    const id = await startEvacuation(stage.context, { hostId: source, guestIds });
    await finishOvertaken(id);
    assert.deepEqual(
      (await stage.items(id)).map(({ status, to_node: node }) => ({ status, node })),
      [{ status: "done", node: "pvec" }],
    );
  });

  it("reserves room for the whole run: what does not fit beside the others is left without a target", async () => {
    await stage.services.pool.query(
      `update node set memory_mb = 4096, memory_used_mb = case when host_id = $1 then 3000 else 2048 end`,
      [source],
    );
    const guestIds = await stage.place([
      { vmid: 501, memory: 1500, running: true },
      { vmid: 502, memory: 1500, running: true },
      { vmid: 503, memory: 1500, running: true },
    ]);
    await stage.services.pool.query(
      `update node set memory_mb = 4096, memory_used_mb = case when host_id = $1 then 3000 else 2048 end`,
      [source],
    );
    const id = await startEvacuation(stage.context, { hostId: source, guestIds });
    const targets = (await stage.items(id)).map(({ to_node: node }) => node);
    assert.deepEqual(new Set(targets), new Set(["pveb", "pvec", null]));
    await stage.finish(id);
    const ends = (await outcomes(id)).map(({ status }) => status);
    assert.equal(ends.filter((end) => end === "done").length, 2);
    assert.equal(ends.filter((end) => end === "skipped").length, 1);
    const { rows } = await stage.services.pool.query(`select target_node from migration order by target_node`);
    assert.deepEqual(rows, [{ target_node: "pveb" }, { target_node: "pvec" }]);
  });

  it("skips a guest when what is left of the room is reserved for a later guest of the run, and moves that", async () => {
    const memory = `update node set memory_mb = 4096, memory_used_mb = 2048`;
    const guestIds = await stage.place([511, 512].map((vmid) => ({ vmid, memory: 1500, running: true })));
    await stage.services.pool.query(memory);
    const id = await startEvacuation(stage.context, { hostId: source, guestIds });
    const [first, second] = (await stage.items(id)).map(({ to_host_id: hostId }) => hostId);
    assert.ok(first !== null && second !== null && first !== second);
    await stage.services.pool.query(`update host set maintenance = true, maintenance_since = now() where id = $1`, [
      first,
    ]);
    await stage.finish(id);
    const [skipped, moved] = await outcomes(id);
    assert.equal(skipped?.status, "skipped");
    assert.match(String(skipped.reason), /needs 1500 MiB of RAM, has 548 MiB free besides 1500 MiB reserved already/);
    assert.deepEqual(moved, { vmid: 512, status: "done", reason: null });
  });

  it("lets the running guest finish when stopped, and skips the rest", async () => {
    const guestIds = await stage.place([{ vmid: 601 }, { vmid: 602 }]);
    const id = await startEvacuation(stage.context, { hostId: source, guestIds });
    const working = runJob(executorFor(stage.services), await stage.jobOf(id));
    await eventually(async () => assert.notEqual((await stage.items(id))[0]?.["migration_id"], null));
    await stopRun(stage.context, JobKind.EVACUATION, id);
    assert.deepEqual(
      (await outcomes(id)).map(({ status }) => status),
      ["running", "skipped"],
    );
    await stage.carryOut();
    await working;
    assert.deepEqual(await outcomes(id), [
      { vmid: 601, status: "done", reason: null },
      { vmid: 602, status: "skipped", reason: "the run was stopped before its turn" },
    ]);
    assert.equal(await isInMaintenance(), true);
    await stopRun(stage.context, JobKind.EVACUATION, id);
  });

  it("refuses a second evacuation of the host with the id of the first, and allows one after its end", async () => {
    const guestIds = await stage.place([{ vmid: 701 }, { vmid: 702 }]);
    const starts = await Promise.allSettled(
      guestIds.map((guestId) => startEvacuation(stage.context, { hostId: source, guestIds: [guestId] })),
    );
    const started = starts.find((start) => start.status === "fulfilled");
    assert.ok(started);
    assert.equal(starts.filter(({ status }) => status === "fulfilled").length, 1);
    const refusal = await refusedAs("conflict", startEvacuation(stage.context, { hostId: source, guestIds }));
    assert.equal(refusal.reason, "EVACUATION_RUNNING");
    assert.match(refusal.message, new RegExp(`evacuation ${started.value} `));
    await stage.finish(started.value);
    const [left = 0] = guestIds.filter((_, index) => starts[index]?.status === "rejected");
    const second = await startEvacuation(stage.context, { hostId: source, guestIds: [left] });
    assert.notEqual(second, started.value);
  });

  it("goes on after a guest whose migration failed, and believes what is on record of the transfer", async () => {
    const guestIds = await stage.place([{ vmid: 801 }]);
    const failed = await startEvacuation(stage.context, { hostId: source, guestIds });
    await stage.finish(failed, "failed");
    assert.deepEqual(await outcomes(failed), [{ vmid: 801, status: "failed", reason: "the transfer broke" }]);
    const again = await startEvacuation(stage.context, { hostId: source, guestIds });
    await stage.finish(again, "failed after the transfer");
    assert.deepEqual(await outcomes(again), [
      {
        vmid: 801,
        status: "done_with_warnings",
        reason: "the guest is on the target, but: the unlocking broke",
      },
    ]);
  });

  it("shows of a guest that has moved with warnings what they are", async () => {
    const guestIds = await stage.place([{ vmid: 802 }]);
    const id = await startEvacuation(stage.context, { hostId: source, guestIds });
    await stage.finish(id, "done with warnings");
    const reason = "the address is not set; the agent is silent";
    assert.deepEqual(await outcomes(id), [{ vmid: 802, status: "done_with_warnings", reason }]);
  });

  it("refuses what makes no sense", async () => {
    const [guest = 0] = await stage.place([{ vmid: 901 }]);
    const start = (asked: object) => startEvacuation(stage.context, { hostId: source, guestIds: [guest], ...asked });
    await refusedAs("notFound", start({ hostId: 99 }));
    await refusedFields(["guestIds"], start({ guestIds: [] }));
    await refusedFields(["guestIds"], start({ guestIds: [guest, guest] }));
    await refusedFields(["guestIds"], start({ guestIds: [12_345] }));
    await refusedFields(["targetHostId"], start({ targetHostId: source }));
    await refusedFields(["targetHostId"], start({ targetNode: "pveb" }));
    await refusedFields(["targetNode", "ipZoneId"], start({ targetHostId: target, targetNode: "pvex", ipZoneId: 7 }));
    await refusedFields(["node"], start({ node: "pvex" }));
    await stage.services.pool.query(`update host set maintenance = true, maintenance_since = now() where id = $1`, [
      target,
    ]);
    const refusal = await refusedAs("conflict", start({ targetHostId: target }));
    assert.equal(refusal.reason, "HOST_IN_MAINTENANCE");
    assert.equal(await isInMaintenance(), false, "a refused start changes nothing");
  });
});
