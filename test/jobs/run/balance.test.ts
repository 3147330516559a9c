// Balance runs: suggestions that are carried out one at a time, checked again, without maintenance.
import assert from "node:assert/strict";
import { balanceReport } from "../../../src/actions/run/balanceReport.js";
import { startBalanceRun } from "../../../src/actions/run/balanceRun.js";
import { startEvacuation } from "../../../src/actions/run/evacuation.js";
import { BalanceMode } from "../../../src/core/enums.js";
import { refusedAs, refusedFields } from "../../support/refusal.js";
import { openRunStage, type RunStage } from "./stage.js";

describe("jobs/run: balance", () => {
  let stage: RunStage;
  let source: number;

  beforeEach(async () => {
    stage = await openRunStage();
    [source] = stage.hostIds;
  });
  afterEach(() => stage.close());

  /** The first host's node is hot by its RAM, the others are not; guests use what they are configured with. */
  const heat = async (usedMb = 3_500): Promise<void> => {
    await stage.services.pool.query(
      `update node set memory_mb = 4096, memory_used_mb = case when host_id = $1 then $2::int else 500 end,
         cpu_average_30m = 0.1, sampled_at = now()`,
      [source, usedMb],
    );
    await stage.services.pool.query(`update guest set memory_used_mb = memory_mb where status = 'running'`);
  };

  const report = () => balanceReport(stage.context, BalanceMode.SMALLEST_FIRST);

  it("suggests what passes the real pre-flight, carries it out, and leaves maintenance alone", async () => {
    await stage.place([
      { vmid: 101, memory: 100, running: true, snapshots: ["before"] },
      { vmid: 102, memory: 200, running: true },
      { vmid: 103, memory: 300, running: true },
    ]);
    await heat();
    const { suggestions, passedOver, hotNodes } = await report();
    assert.deepEqual(
      hotNodes.map(({ node, unresolvedReason }) => ({ node, unresolvedReason })),
      [{ node: "pvea", unresolvedReason: null }],
    );
    assert.deepEqual(
      suggestions.map(({ downtime }) => downtime),
      ["a brief pause at the final switchover", "a brief pause at the final switchover"],
    );
    assert.match(passedOver[0]?.reason ?? "", /snapshots: before/);
    const ids = suggestions.map(({ id }) => id);
    const run = await startBalanceRun(stage.context, ids);
    assert.match((await refusedAs("conflict", startBalanceRun(stage.context, ids))).message, /waits for its turn/);
    await stage.finish(run);
    assert.deepEqual(
      (await stage.items(run)).map(({ vmid, status, reason }) => ({ vmid, status, reason })),
      [
        { vmid: 102, status: "done", reason: null },
        { vmid: 103, status: "done", reason: null },
      ],
    );
    const { rows } = await stage.services.pool.query(`select 1 from host where maintenance`);
    assert.deepEqual(rows, []);
    const refusal = await refusedAs("conflict", startBalanceRun(stage.context, ids));
    assert.equal(refusal.reason, "SUGGESTION_OUTDATED");
  });

  it("skips a guest at its turn when the target has become hot, or the guest has stopped", async () => {
    await stage.place([
      { vmid: 201, memory: 300, running: true },
      { vmid: 202, memory: 400, running: true },
    ]);
    await heat(3_900);
    const { suggestions } = await report();
    const run = await startBalanceRun(
      stage.context,
      suggestions.map(({ id }) => id),
    );
    await stage.services.pool.query(`update node set memory_used_mb = 3600 where host_id <> $1`, [source]);
    await stage.services.pool.query(`update guest set status = 'stopped' where vmid = 201`);
    await stage.finish(run);
    const [stopped, hot] = await stage.items(run);
    assert.equal(stopped?.["status"], "skipped");
    assert.match(String(stopped?.["reason"]), /does not run any longer/);
    assert.equal(hot?.["status"], "skipped");
    assert.match(String(hot?.["reason"]), /is hot itself: RAM 87\.9 % is above 80 %/);
  });

  it("keeps guests of a run from other runs until their turn is over", async () => {
    const [guest = 0] = await stage.place([{ vmid: 301, memory: 700, running: true }]);
    await heat();
    const { suggestions } = await report();
    const run = await startBalanceRun(
      stage.context,
      suggestions.map(({ id }) => id),
    );
    const refusal = await refusedAs("conflict", startEvacuation(stage.context, { hostId: source, guestIds: [guest] }));
    assert.equal(refusal.reason, "GUEST_BUSY");
    assert.deepEqual((await report()).suggestions, [], "a guest that waits is not suggested again");
    await stage.finish(run);
  });

  it("refuses what is no suggestion", async () => {
    await refusedFields(["suggestionIds"], startBalanceRun(stage.context, []));
    await refusedFields(["suggestionIds"], startBalanceRun(stage.context, ["nonsense"]));
    await refusedFields(["suggestionIds"], startBalanceRun(stage.context, ["1.1.a.2.b", "1.1.a.2.c"]));
    const refusal = await refusedAs("conflict", startBalanceRun(stage.context, ["999.1.pvea.2.pveb"]));
    assert.equal(refusal.reason, "SUGGESTION_OUTDATED");
  });
});
