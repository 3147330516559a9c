// Workers of a move that stall while they make its token, and come back after a successor has taken the move over.
import assert from "node:assert/strict";
import type { Pool, PoolClient } from "pg";
import { sweepTokens } from "../../../jobs/migration/removeTokens.js";
import { MigrationStep } from "../../../src/core/enums.js";
import { runJob } from "../../../jobs/engine/executor.js";
import { systemStopwatch, type Stopwatch } from "../../../src/concurrency/stopwatch.js";
import { HandTime } from "../../support/handTime.js";
import { changedHosts } from "../changedHosts.js";
import { differences, tablesOf } from "../tables.js";
import { setSpeed } from "./faults.js";
import {
  executorFor,
  guestOn,
  leftovers,
  migrationRow,
  NOTHING_LEFT,
  openMoveStage,
  placeAndSync,
  queueMove,
  transfersOf,
  type MoveStage,
} from "./stage.js";

/** The pool of a worker that stalls once this step's beginning is on record. */
function stallingAt(pool: Pool, step: MigrationStep, stall: () => Promise<void>): Pool {
  let hasStalled = false;
  const query = async (...parameters: unknown[]): Promise<unknown> => {
    const result: unknown = await Reflect.apply(pool.query.bind(pool), pool, parameters);
    if (hasStalled || !parameters.some((statement) => isEntryOf(statement, step))) return result;
    hasStalled = true;
    await stall();
    return result;
  };
  return new Proxy(pool, { get: (target, key) => (key === "query" ? query : Reflect.get(target, key)) });
}

const isEntryOf = (statement: unknown, step: MigrationStep): boolean =>
  typeof statement === "object" &&
  statement !== null &&
  "values" in statement &&
  Array.isArray(statement.values) &&
  statement.values.includes(step);

/** The pool of a worker that stalls when the record of its token is committed, before it knows. */
function stallingAfterRecord(pool: Pool, stall: () => Promise<void>): Pool {
  let isRecorded = false;
  let hasStalled = false;
  const stalling = (client: PoolClient): PoolClient => {
    const query = async (...parameters: unknown[]): Promise<unknown> => {
      const result: unknown = await Reflect.apply(client.query.bind(client), client, parameters);
      isRecorded ||= /insert into "?temporary_token/.test(JSON.stringify(parameters[0]).replaceAll("\\", ""));
      if (!isRecorded || hasStalled || parameters[0] !== "commit") return result;
      hasStalled = true;
      await stall();
      return result;
    };
    return new Proxy(client, {
      get(target, key) {
        if (key === "query") return query;
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };
  const methods: Readonly<Record<string, unknown>> = {
    query: pool.query.bind(pool),
    connect: async () => stalling(await pool.connect()),
  };
  return new Proxy(pool, { get: (target, key) => Reflect.get(key in methods ? methods : target, key) });
}

/** What the target has of temporary tokens. */
const tokensAt = ({ target }: MoveStage) => {
  const { users, rules } = target.host.platform.state.access;
  return {
    tokens: [...users.values()].flatMap(({ tokens }) => [...tokens.keys()].filter((name) => name.startsWith("mig-"))),
    rules: rules.filter(({ ugid }) => ugid.includes("!mig-")).map(({ path, ugid, roleid }) => [path, ugid, roleid]),
  };
};

describe("a worker that comes back in the middle of its successor's transfer", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  it("removes no token at the target, and changes no row", async () => {
    const guestId = await placeAndSync(stage, { type: "qemu", vmid: 4500, status: "stopped" });
    const { migrationId, jobId } = await queueMove(stage, guestId);
    const { services } = stage;
    const stalled = Promise.withResolvers<void>();
    const comesBack = Promise.withResolvers<void>();
    const pool = stallingAt(services.pool, MigrationStep.TARGET_TOKEN, () => {
      stalled.resolve();
      return comesBack.promise;
    });
    const first = runJob(executorFor({ ...services, pool }, "stalled"), jobId);
    await stalled.promise;
    await services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [jobId]);

    // Its successor writes nothing between its order and the answer.
    const ordered = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const hypervisors = changedHosts(services.hypervisors, (host) => ({
      migrateRemotely: async (...call) => {
        const upid = await host.migrateRemotely(...call);
        ordered.resolve();
        await answered.promise;
        return upid;
      },
    }));
    await setSpeed(stage.source, { bytesPerSecond: 2e5 });
    const second = runJob(executorFor({ ...services, hypervisors }, "successor"), jobId);
    await ordered.promise;
    const had = tokensAt(stage);
    const before = await tablesOf(services.pool);
    comesBack.resolve();
    await first;
    const changed = differences(before, await tablesOf(services.pool));
    const has = tokensAt(stage);

    await setSpeed(stage.source, { bytesPerSecond: 1e9 });
    answered.resolve();
    await second;
    assert.deepEqual(has, had);
    assert.deepEqual([had.tokens.length, had.rules.length > 0], [1, true]);
    assert.deepEqual(changed, {});
    const row = await migrationRow(stage, migrationId);
    assert.deepEqual([row["status"], row["error"], transfersOf(stage, 4500)], ["done", null, 1]);
    assert.notEqual(guestOn(stage.target, 4500), undefined);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });
});

describe("a worker that comes back after its successor's move, and was about to make a token", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage();
  });
  after(() => stage.close());

  const tokens = (): string[] => tokensAt(stage).tokens;

  /** Has a worker stall while it makes the token, and a successor do the whole move. @returns how the first goes on */
  const takeOver = async (
    vmid: number,
    services: (stall: () => Promise<void>) => MoveStage["services"],
    stopwatch: Stopwatch = systemStopwatch,
  ): Promise<() => Promise<void>> => {
    const { jobId, migrationId } = await queueMove(
      stage,
      await placeAndSync(stage, { type: "qemu", vmid, status: "stopped" }),
    );
    const stalled = Promise.withResolvers<void>();
    const comesBack = Promise.withResolvers<void>();
    const stall = (): Promise<void> => {
      stalled.resolve();
      return comesBack.promise;
    };
    const first = runJob({ ...executorFor(services(stall), "stalled"), stopwatch }, jobId);
    await stalled.promise;
    await stage.services.pool.query(`update job set lease_until = now() - interval '1 second' where id = $1`, [jobId]);
    await runJob(executorFor(stage.services, "successor"), jobId);
    assert.equal((await migrationRow(stage, migrationId))["status"], "done");
    assert.deepEqual(tokens(), []);
    return () => {
      comesBack.resolve();
      return first;
    };
  };

  it("makes none, since its record no longer proves its lease", async () => {
    const time = new HandTime();
    const { services } = stage;
    const goOn = await takeOver(
      4510,
      (stall) => ({ ...services, pool: stallingAfterRecord(services.pool, stall) }),
      time,
    );
    // It was halted for longer than its proof lasts.
    time.move(5_001);
    await goOn();
    assert.deepEqual(tokens(), []);
  });

  it("has its late token removed by the sweep, which looks for it until none can come any more", async () => {
    const goOn = await takeOver(4511, (stall) => ({
      ...stage.services,
      hypervisors: changedHosts(stage.services.hypervisors, (host) => ({
        createToken: async (...call) => {
          await stall();
          return host.createToken(...call);
        },
      })),
    }));
    assert.equal(await sweepTokens(stage.services), 0, "another look is due");
    await goOn();
    assert.equal(tokens().length, 1);
    assert.equal(await sweepTokens(stage.services), 1);
    assert.deepEqual(tokens(), []);
    assert.equal(await sweepTokens(stage.services), 0);
  });

  it("has its late token removed at the end of a successor's move that lasts", async () => {
    const vmid = 4512;
    const guestId = await placeAndSync(stage, { type: "qemu", vmid, status: "stopped" });
    const { jobId } = await queueMove(stage, guestId);
    const stopping = new AbortController();
    let late: (() => Promise<unknown>) | undefined;
    const lost = changedHosts(stage.services.hypervisors, (host) => ({
      createToken: (...call) => {
        late = () => host.createToken(...call);
        stopping.abort(new Error("the worker stops"));
        return Promise.reject(new Error("the worker stops"));
      },
    }));
    const services = { ...stage.services, hypervisors: lost };
    await runJob({ ...executorFor(services, "stalled"), stopping: stopping.signal }, jobId);
    assert.equal(tokens().length, 0);
    const arriving = changedHosts(stage.services.hypervisors, (host) => ({
      migrateRemotely: async (...call) => {
        await late?.();
        return host.migrateRemotely(...call);
      },
    }));
    await runJob(executorFor({ ...stage.services, hypervisors: arriving }, "successor"), jobId);
    assert.deepEqual(await leftovers(stage), NOTHING_LEFT);
  });
});
