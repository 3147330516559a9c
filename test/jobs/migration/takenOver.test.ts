// A worker of a move that stalls before it makes its token, and comes back in the middle of its successor's transfer.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { MigrationStep } from "../../../src/core/enums.js";
import { runJob } from "../../../jobs/engine/executor.js";
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

/** What the target has of temporary tokens. */
const tokensAt = ({ target }: MoveStage) => {
  const { users, rules } = target.host.platform.state.access;
  return {
    tokens: [...users.values()].flatMap(({ tokens }) => [...tokens.keys()].filter((name) => name.startsWith("mig-"))),
    rules: rules.filter(({ ugid }) => ugid.includes("!mig-")).map(({ path, ugid, roleid }) => [path, ugid, roleid]),
  };
};

describe("a worker that comes back in the middle of its successor's transfer", function () {
  this.timeout(120_000);
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
