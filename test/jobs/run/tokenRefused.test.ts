// Runs to a host that refuses the temporary tokens of moves: one move fails, and the other guests are skipped with what the host said.
import assert from "node:assert/strict";
import { runJob } from "../../../jobs/engine/executor.js";
import { balanceReport } from "../../../src/actions/run/balanceReport.js";
import { startBalanceRun } from "../../../src/actions/run/balanceRun.js";
import { startEvacuation } from "../../../src/actions/run/evacuation.js";
import { evacuationCandidates } from "../../../src/actions/run/evacuationCandidates.js";
import { BalanceMode } from "../../../src/core/enums.js";
import * as tokenRefusals from "../../../src/store/tokenRefusal.js";
import { control } from "../../inventory/support/control.js";
import { contextFor } from "../../support/viewers.js";
import { leftovers, NOTHING_LEFT, openMoveStage, placeAndSync, type MoveStage } from "../migration/stage.js";
import { executorFor, openRunStage, type RunStage } from "./stage.js";

const WORDS = "the datacenter's policy permits no API tokens";

describe("jobs/run: an evacuation to a host that refuses tokens", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  beforeEach(async () => {
    stage = await openMoveStage();
  });
  afterEach(() => stage.close());

  /** Runs the job of a run, and the moves that it starts as they come. */
  const finish = async (runId: number): Promise<void> => {
    const { pool, events } = stage.services;
    const executor = executorFor(stage.services);
    const moveQueued = async (): Promise<void> => {
      const { rows } = await pool.query<{ id: number }>(
        `select id from job where kind = 'migration' and status = 'queued'`,
      );
      await Promise.all(rows.map(({ id }) => runJob(executor, id)));
    };
    let moving = Promise.resolve();
    const move = (): void => void (moving = moving.then(moveQueued));
    const listening = [events.on("job", move), events.on("gap", move)];
    const { rows } = await pool.query<{ id: number }>(`select job_id as id from run where id = $1`, [runId]);
    await runJob(executor, rows[0]?.id ?? 0);
    for (const end of listening) end();
    await moving;
  };

  it("fails one move, and skips the other guests with the reason", async () => {
    const guestIds: number[] = [];
    for (const vmid of [101, 102, 103])
      guestIds.push(await placeAndSync(stage, { type: "qemu", vmid, status: "stopped" }));
    await control(stage.target.host.control).post("/faults", {
      method: "POST",
      path: "/access/users/.*/token/",
      effect: "status",
      status: 403,
      message: WORDS,
    });
    const context = await contextFor(stage.services);
    const runId = await startEvacuation(context, { hostId: stage.source.hostId, guestIds });
    await finish(runId);
    const { rows } = await stage.services.pool.query<{ vmid: number; status: string; reason: string }>(
      `select vmid, status, reason from run_item where run_id = $1 order by position`,
      [runId],
    );
    assert.deepEqual(
      rows.map(({ vmid, status }) => [vmid, status]),
      [
        [101, "failed"],
        [102, "skipped"],
        [103, "skipped"],
      ],
    );
    const [failed = "", ...skipped] = rows.map(({ reason }) => reason);
    assert.equal(failed, `host pveb lets its connection make no token of root@pam: ${WORDS}`);
    for (const reason of skipped)
      assert.match(
        reason,
        new RegExp(`^host pveb refused the temporary token of a move .* ago: ${WORDS}; sync the host`),
      );
    assert.equal((await stage.services.pool.query(`select from migration`)).rowCount, 1, "one move was begun");
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
    const candidates = await evacuationCandidates(context, { hostId: stage.source.hostId });
    assert.deepEqual(
      candidates.map(({ startable, problems }) => [startable, problems.map(({ code }) => code)]),
      guestIds.map(() => [false, ["TARGET_TOKEN_REFUSED"]]),
    );
  });
});

describe("jobs/run: runs among hosts of which some refuse tokens", () => {
  let stage: RunStage;
  let source: number;
  let others: readonly number[];
  beforeEach(async () => {
    stage = await openRunStage();
    [source, ...others] = stage.hostIds;
  });
  afterEach(() => stage.close());

  const refuse = (hostId: number): Promise<void> =>
    tokenRefusals.record(stage.services.pool, { hostId, tokenId: 1, words: WORDS, at: stage.services.clock.now() });

  const outcomes = async (runId: number) =>
    (await stage.items(runId)).map(({ status, reason }) => ({ status, reason: String(reason) }));

  it("suggest and make moves to hosts that did not refuse, and skip the others at their turn", async () => {
    await stage.place([{ vmid: 201, memory: 300, running: true }]);
    await stage.services.pool.query(
      `update node set memory_mb = 4096, memory_used_mb = case when host_id = $1 then 3500 else 500 end,
         cpu_average_30m = 0.1, sampled_at = now()`,
      [source],
    );
    await stage.services.pool.query(`update guest set memory_used_mb = memory_mb where status = 'running'`);
    const report = () => balanceReport(stage.context, BalanceMode.SMALLEST_FIRST);
    const { suggestions } = await report();
    const [suggestion] = suggestions;
    assert.ok(suggestion);
    const runId = await startBalanceRun(stage.context, [suggestion.id]);
    await refuse(suggestion.toHostId);
    await stage.finish(runId);
    const [skipped] = await outcomes(runId);
    assert.equal(skipped?.status, "skipped");
    assert.match(skipped.reason, /refused the temporary token of a move .* ago: /);
    const again = (await report()).suggestions;
    assert.deepEqual(
      again.map(({ toHostId }) => toHostId),
      others.filter((id) => id !== suggestion.toHostId),
    );
    for (const hostId of others) await refuse(hostId);
    const { suggestions: none, passedOver } = await report();
    assert.deepEqual(none, []);
    assert.match(passedOver[0]?.reason ?? "", /refused the temporary token of a move/);
  });

  it("evacuate to the next best host where the best one refuses", async () => {
    const guestIds = await stage.place([{ vmid: 301 }]);
    await stage.services.pool.query(`update node set memory_used_mb = 0 where name = 'pveb'`);
    await refuse(others[0] ?? 0);
    const runId = await startEvacuation(stage.context, { hostId: source, guestIds });
    await stage.finish(runId);
    assert.deepEqual(
      (await stage.items(runId)).map(({ status, to_node: node }) => [status, node]),
      [["done", "pvec"]],
    );
  });
});
