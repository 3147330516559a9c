// A worker that dies at any of its statements, between guests or in the middle of one: whoever comes next finishes the run.
import assert from "node:assert/strict";
import type { Pool, PoolClient } from "pg";
import { runJob } from "../../../jobs/engine/executor.js";
import { removeGuest } from "../../../simulator/scenarios/placeGuest.js";
import { startEvacuation } from "../../../src/actions/run/evacuation.js";
import { executorFor, openRunStage, type RunStage } from "./stage.js";
import { places, triedOf } from "../places.js";

type Moment = "before" | "after";

interface DyingDatabase {
  readonly pool: Pool;
  /** Aborts at the death: for the process that was killed nothing follows. */
  readonly death: AbortSignal;
}

/** A database that is lost for good at the given statement, in a transaction or not. */
function dyingDatabase(pool: Pool, { statement, moment }: { statement: number; moment: Moment }): DyingDatabase {
  const death = new AbortController();
  let count = 0;
  const killed = (): never => {
    death.abort(new Error("the worker was killed"));
    throw new Error("the worker was killed");
  };
  const counted =
    (target: Pool | PoolClient) =>
    async (...parameters: unknown[]): Promise<unknown> => {
      // A connection that died rolls back.
      if (death.signal.aborted && parameters[0] !== "rollback") killed();
      const isLast = ++count === statement;
      if (isLast && moment === "before") killed();
      const result: unknown = await Reflect.apply(target.query.bind(target), target, parameters);
      return isLast && moment === "after" ? killed() : result;
    };
  const client = (connected: PoolClient): PoolClient =>
    new Proxy(connected, {
      get(target, key) {
        if (key === "query") return counted(target);
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const dying = new Proxy(pool, {
    get(target, key) {
      if (key === "query") return counted(target);
      if (key === "connect") return async () => (death.signal.aborted ? killed() : client(await target.connect()));
      return Reflect.get(target, key);
    },
  });
  return { pool: dying, death: death.signal };
}

/** @returns whether the worker died before the run ended */
async function killAt(stage: RunStage, jobId: number, at: { statement: number; moment: Moment }): Promise<boolean> {
  const { pool, death } = dyingDatabase(stage.services.pool, at);
  const working = runJob(executorFor({ ...stage.services, pool }, death), jobId).catch((error: unknown) => {
    // A claim that dies has no job to speak of yet.
    if (!death.aborted) throw error;
  });
  await stage.carryOutDuring(working);
  return death.aborted;
}

describe("a run whose worker is killed", () => {
  let stage: RunStage;
  before(async () => {
    stage = await openRunStage();
  });
  after(() => stage.close());

  for (const moment of ["before", "after"] as const) {
    it(`moves every guest once when the worker dies ${moment} any of its statements`, async function () {
      this.timeout(1_800_000);
      const { pool } = stage.services;
      let vmid = moment === "before" ? 1000 : 2000;
      let deaths = 0;
      for (const statement of places()) {
        const guestIds = await stage.place([{ vmid }, { vmid: vmid + 1 }]);
        const runId = await startEvacuation(stage.context, { hostId: stage.hostIds[0], guestIds });
        const where = `killed ${moment} statement ${statement}`;
        const died = await killAt(stage, await stage.jobOf(runId), { statement, moment });
        const running = (await stage.items(runId)).filter(({ status }) => status === "running");
        assert.ok(running.length <= 1, `${where}: one at a time`);
        await pool.query(
          `update job set lease_until = now() - interval '1 second' where kind = 'evacuation' and status = 'running'`,
        );
        await stage.finish(runId);
        const items = await stage.items(runId);
        assert.deepEqual(
          items.map(({ status }) => status),
          ["done", "done"],
          `${where}: ${JSON.stringify(items)}`,
        );
        const { rows } = await pool.query<{ guest: number; moves: number }>(
          `select guest_id as guest, count(*)::int as moves from migration where evacuation_id = $1 group by 1 order by 1`,
          [runId],
        );
        assert.deepEqual(
          rows,
          guestIds.toSorted((a, b) => a - b).map((guest) => ({ guest, moves: 1 })),
          where,
        );
        const { rows: ended } = await pool.query(`select finished_at is not null as ended from run where id = $1`, [
          runId,
        ]);
        assert.deepEqual(ended, [{ ended: true }], where);
        await pool.query(`update host set maintenance = false, maintenance_since = null`);
        // Syncs of the guests of earlier rounds would take longer and longer.
        for (const left of [vmid, vmid + 1]) removeGuest(stage.hosts[0].platform, left);
        if (!died) break;
        vmid += 2;
        deaths++;
      }
      assert.ok(deaths >= triedOf(25), `the worker was killed at many places: ${deaths}`);
    });
  }

  it("is fenced off when it comes back after another took over", async () => {
    const { pool } = stage.services;
    const guestIds = await stage.place([{ vmid: 3000 }, { vmid: 3001 }]);
    const runId = await startEvacuation(stage.context, { hostId: stage.hostIds[0], guestIds });
    const jobId = await stage.jobOf(runId);
    const stalled = runJob(executorFor(stage.services), jobId);
    for (let taken = false; !taken;) {
      const { rowCount } = await pool.query(
        `update job set lease_until = now() - interval '1 second' where id = $1 and status = 'running' and lease_epoch = 1`,
        [jobId],
      );
      taken = rowCount === 1;
    }
    await Promise.all([stalled, stage.finish(runId)]);
    assert.deepEqual(
      (await stage.items(runId)).map(({ status }) => status),
      ["done", "done"],
    );
    const { rows } = await pool.query(`select count(*)::int as moves from migration where evacuation_id = $1`, [runId]);
    assert.deepEqual(rows, [{ moves: 2 }]);
  });

  it("begins no further guest when its lease turns out to be lost at the record of its progress", async () => {
    const guestIds = await stage.place([{ vmid: 3010 }, { vmid: 3011 }]);
    const runId = await startEvacuation(stage.context, { hostId: stage.hostIds[0], guestIds });
    const jobId = await stage.jobOf(runId);
    const executor = executorFor(stage.services);
    const write: typeof executor.store.write = (lease, entry) =>
      entry.progress === 0.5 ? Promise.resolve(false) : executor.store.write(lease, entry);
    await stage.carryOutDuring(runJob({ ...executor, store: { ...executor.store, write } }, jobId));
    const statuses = async (): Promise<unknown[]> => (await stage.items(runId)).map(({ status }) => status);
    assert.deepEqual(await statuses(), ["done", "waiting"]);
    await stage.services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [jobId]);
    await stage.finish(runId);
    assert.deepEqual(await statuses(), ["done", "done"]);
  });
});
