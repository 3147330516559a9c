// A worker that a schedule starts does not leave what it has begun, also when the database fails it.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { workOff } from "../../../jobs/engine/workOff.js";
import { jobRow, machineRequest, openStage, queueGuest, type Stage } from "../creation.js";
import { executorFor } from "../killing.js";

/** The pool, whose second look for due jobs fails. */
function losingSight(pool: Pool): Pool {
  let looks = 0;
  const query = (...parameters: unknown[]): unknown => {
    const isLook = String(parameters[0]).startsWith("select id, kind from job");
    if (isLook && ++looks === 2) return Promise.reject(new Error("Connection terminated unexpectedly"));
    return Reflect.apply(pool.query.bind(pool), pool, parameters);
  };
  return new Proxy(pool, { get: (target, key) => (key === "query" ? query : Reflect.get(target, key)) });
}

describe("jobs/engine/workOff", () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  it("ends with its jobs when it cannot look for more of them", async () => {
    const { services } = stage;
    const { jobId } = await queueGuest(stage, machineRequest(stage));
    const working = workOff(executorFor({ ...services, pool: losingSight(services.pool) }, "scheduled"), "jobs");
    await assert.rejects(working, /Connection terminated/);
    assert.equal((await jobRow(stage, jobId))["status"], "done");
  });
});
