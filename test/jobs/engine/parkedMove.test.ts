// A move whose stored JSON cannot be read: it is parked, keeps its token as long as its transfer may run, and goes on or ends.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { retryJob } from "../../../src/actions/job/parkedJob.js";
import { retryMigration } from "../../../src/actions/migration/retry.js";
import { DroverError } from "../../../src/errors/errors.js";
import { sweepTokens } from "../../../jobs/migration/removeTokens.js";
import { runJob } from "../../../jobs/engine/executor.js";
import { sweep } from "../../../jobs/periodic/sweep.js";
import { refusedAs } from "../../support/refusal.js";
import { until } from "../../support/until.js";
import { contextFor } from "../../support/viewers.js";
import { changedHosts } from "../changedHosts.js";
import { executorFor } from "../killing.js";
import { undosOf } from "../undos.js";
import {
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
  type QueuedMove,
} from "../migration/stage.js";

/** A database that is lost for good at the first statement that says this. */
function poolUntil(pool: Pool, said: string): { pool: Pool; died: () => boolean } {
  let dead = false;
  const die = (): never => {
    dead = true;
    throw new Error("the worker was killed");
  };
  const query = async (...parameters: unknown[]): Promise<unknown> =>
    dead || JSON.stringify(parameters).includes(said) ? die() : Reflect.apply(pool.query.bind(pool), pool, parameters);
  const proxy = new Proxy(pool, { get: (target, key) => (key === "query" ? query : Reflect.get(target, key)) });
  return { pool: proxy, died: () => dead };
}

describe("a move that cannot be read", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  const damage = (jobId: number): Promise<unknown> =>
    stage.services.pool.query(
      `update job set input = input || '{"mode": 7}', lease_until = now() - interval '1 second' where id = $1`,
      [jobId],
    );
  const mend = (jobId: number): Promise<unknown> =>
    stage.services.pool.query(`update job set input = input || '{"mode": "live"}' where id = $1`, [jobId]);
  const parkedAgo = (jobId: number): Promise<unknown> =>
    stage.services.pool.query(`update job set parked_at = parked_at - interval '2 minutes' where id = $1`, [jobId]);

  /** A move whose worker has died when its transfer was under way, on hosts that take their time. */
  const moveUnderWay = async (vmid: number): Promise<QueuedMove> => {
    for (const { host } of [stage.source, stage.target]) host.platform.clock.timeFactor = 1;
    stage.source.host.platform.tasks.bytesPerSecond = 1024 ** 2;
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid, status: "running" }));
    const stopping = new AbortController();
    const working = runJob({ ...executorFor(stage.services, "killed"), stopping: stopping.signal }, move.jobId);
    await until("its transfer has begun", () => transfersOf(stage, vmid) > 0);
    stopping.abort(new Error("the worker stops"));
    await working;
    return move;
  };
  const hurry = (): void => {
    for (const { host } of [stage.source, stage.target]) host.platform.clock.timeFactor = 500;
  };
  const tokens = async (): Promise<unknown> => (await leftovers(stage))["tokens"];

  it("keeps its token while its transfer may run, loses it afterwards, and goes on when it can be read", async () => {
    const move = await moveUnderWay(120);
    await damage(move.jobId);
    await run(stage, move.jobId);
    const parked = await migrationRow(stage, move.migrationId);
    assert.equal(parked["status"], "failed");
    assert.match(String(parked["error"]), /^this version cannot read what the job has stored \(input\.mode: /);
    await sweepTokens(stage.services);
    assert.equal(await tokens(), 1, "just parked");
    await parkedAgo(move.jobId);
    await sweepTokens(stage.services);
    assert.equal(await tokens(), 1, "its transfer is at work");
    hurry();
    for (const { host } of [stage.source, stage.target])
      await until("no task runs any longer", () => host.platform.tasks.active().length === 0);
    await sweep(stage.services);
    await sweepTokens(stage.services);
    assert.equal(await tokens(), 0, "nothing is at work any longer");
    const context = await contextFor(stage.services);
    assert.equal((await refusedAs("conflict", retryMigration(context, move.migrationId))).reason, "UNREADABLE");
    await mend(move.jobId);
    await retryMigration(context, move.migrationId);
    await run(stage, move.jobId);
    const moved = await migrationRow(stage, move.migrationId);
    assert.deepEqual([moved["status"], moved["error"]], ["done", null]);
    assert.equal(transfersOf(stage, 120), 1, "copied once");
    assert.notEqual(guestOn(stage.target, 120)?.runtime ?? null, null);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  it("makes another token when it goes on before its transfer", async () => {
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: 121, status: "running" }));
    const { pool, died } = poolUntil(stage.services.pool, "orderedAt");
    await runJob(executorFor({ ...stage.services, pool }, "killed"), move.jobId).catch((error: unknown) => {
      if (!died()) throw error;
    });
    assert.equal(transfersOf(stage, 121), 0);
    await damage(move.jobId);
    await run(stage, move.jobId);
    await parkedAgo(move.jobId);
    assert.equal(await sweepTokens(stage.services), 1);
    await mend(move.jobId);
    await retryJob(await contextFor(stage.services), move.jobId);
    await run(stage, move.jobId);
    assert.equal((await migrationRow(stage, move.migrationId))["status"], "done");
  });

  it("ends when it goes on before its transfer and the target makes no token any more", async () => {
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: 127, status: "running" }));
    const { pool, died } = poolUntil(stage.services.pool, "orderedAt");
    await runJob(executorFor({ ...stage.services, pool }, "killed"), move.jobId).catch((error: unknown) => {
      if (!died()) throw error;
    });
    await damage(move.jobId);
    await run(stage, move.jobId);
    await mend(move.jobId);
    await retryJob(await contextFor(stage.services), move.jobId);
    const hypervisors = changedHosts(stage.services.hypervisors, () => ({
      createToken: () => Promise.reject(new DroverError("conflict", "no more tokens")),
    }));
    await runJob(executorFor({ ...stage.services, hypervisors }, "refused"), move.jobId);
    const { status, error } = await migrationRow(stage, move.migrationId);
    assert.equal(status, "failed");
    assert.match(String(error), /no more tokens/);
    assert.deepEqual(await undosOf(stage.services, move.jobId), [
      { name: "transfer", undo: "done", left: null },
      { name: "target_token", undo: "done", left: null },
    ]);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });

  /** A move that was parked when its worker had ordered the transfer, and the order was lost. */
  const parkedAfterLostOrder = async (vmid: number): Promise<QueuedMove> => {
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid, status: "stopped" }));
    const stopping = new AbortController();
    const hypervisors = changedHosts(stage.services.hypervisors, () => ({
      migrateRemotely: () => {
        stopping.abort(new Error("the worker stops"));
        return Promise.reject(new Error("the worker stops"));
      },
    }));
    const executor = executorFor({ ...stage.services, hypervisors }, "killed");
    await runJob({ ...executor, stopping: stopping.signal }, move.jobId);
    await stage.services.pool.query(
      `update job set facts = facts || jsonb_build_object('orderedAt', now() - interval '1 minute') where id = $1`,
      [move.jobId],
    );
    await damage(move.jobId);
    await run(stage, move.jobId);
    await parkedAgo(move.jobId);
    await mend(move.jobId);
    return move;
  };

  /** Sweeps, and halts before this is asked of the first host. @returns how the sweep goes on */
  const sweepHaltedAt = async (question: "activeTasks" | "tokens"): Promise<() => Promise<number>> => {
    const halted = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
      [question]: async (...call: never[]) => {
        halted.resolve();
        await goesOn.promise;
        return Reflect.apply(host[question], host, call);
      },
    }));
    const sweeping = sweepTokens({ ...stage.services, hypervisors });
    await halted.promise;
    return () => {
      goesOn.resolve();
      return sweeping;
    };
  };

  /** Runs the move while it is ordered; `meanwhile` happens right before. */
  const runWith = (jobId: number, meanwhile: () => Promise<unknown>): Promise<void> => {
    const hypervisors = changedHosts(stage.services.hypervisors, (host) => ({
      migrateRemotely: async (...call) => {
        await meanwhile();
        return host.migrateRemotely(...call);
      },
    }));
    return runJob(executorFor({ ...stage.services, hypervisors }, "next"), jobId);
  };

  it("keeps its token from a sweep that has begun before it goes on", async () => {
    const move = await parkedAfterLostOrder(124);
    const goOn = await sweepHaltedAt("activeTasks");
    await retryJob(await contextFor(stage.services), move.jobId);
    let removed: unknown;
    await runWith(move.jobId, async () => {
      removed = await goOn();
    });
    assert.equal(removed, 0);
    const { status, error } = await migrationRow(stage, move.migrationId);
    assert.deepEqual([status, error, await leftovers(stage)], ["done", null, NOTHING_LEFT]);
  });

  it("makes another token when it goes on while the sweep removes the one that it had", async () => {
    const move = await parkedAfterLostOrder(125);
    const { pool } = stage.services;
    // The sweep would halt at those of other moves, which it looks for first.
    await pool.query(`update temporary_token set removed_at = now() where job_id <> $1`, [move.jobId]);
    const goOn = await sweepHaltedAt("tokens");
    await retryJob(await contextFor(stage.services), move.jobId);
    await runWith(move.jobId, goOn);
    const { status, error } = await migrationRow(stage, move.migrationId);
    assert.deepEqual([status, error, await leftovers(stage)], ["done", null, NOTHING_LEFT]);
    const { rowCount } = await pool.query(`select from temporary_token where job_id = $1`, [move.jobId]);
    assert.equal(rowCount, 2);
  });

  it("is not retried once it has ended, with a reason", async () => {
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: 122, status: "stopped" }));
    await stage.services.pool.query(`update job set facts = '{"failure": "it broke"}' where id = $1`, [move.jobId]);
    await run(stage, move.jobId);
    await damage(move.jobId);
    const refused = await refusedAs("conflict", retryMigration(await contextFor(stage.services), move.migrationId));
    assert.equal(refused.reason, "NOT_RETRYABLE");
    assert.match(refused.message, /has stored what this version cannot read \(input\.mode: .*\): plan the move again$/);
  });

  it("is retried as the first releases stored it", async () => {
    const move = await queueMove(stage, await placeAndSync(stage, { type: "qemu", vmid: 123, status: "stopped" }));
    await stage.services.pool.query(
      `update job set version = 0, input = input - array['room', 'vmidAsked'], facts = '{"failure": "it broke"}' where id = $1`,
      [move.jobId],
    );
    await run(stage, move.jobId);
    assert.equal((await migrationRow(stage, move.migrationId))["error"], "it broke");
    await retryMigration(await contextFor(stage.services), move.migrationId);
    await run(stage, Number((await migrationRow(stage, move.migrationId))["job_id"]));
    assert.equal((await migrationRow(stage, move.migrationId))["status"], "done");
  });
});
