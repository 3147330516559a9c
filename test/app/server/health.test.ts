// Readiness: when a process says that it can serve, and what it says when it cannot.
import assert from "node:assert/strict";
import { Health, type ReadinessChecks } from "../../../src/observability/health.js";

const needed = { database: () => Promise.resolve(), migrations: () => Promise.resolve() };
const fine: ReadinessChecks = { needed, useful: { queue: () => Promise.resolve(), work: () => Promise.resolve() } };

describe("health", () => {
  it("is not ready before it runs, and not once it stops", async () => {
    const health = new Health();
    assert.deepEqual(await health.readiness(), { ready: false, status: "starting", checks: {} });
    health.run(fine);
    assert.equal((await health.readiness()).ready, true);
    health.phase = "stopping";
    assert.deepEqual(await health.readiness(), { ready: false, status: "stopping", checks: {} });
  });

  it("names the part that fails, with its reason", async () => {
    const health = new Health();
    health.run({ ...fine, needed: { ...needed, database: () => Promise.reject(new Error("away")) } });
    assert.deepEqual(await health.readiness(), {
      ready: false,
      status: "not ready",
      checks: { database: "away", migrations: "ok", queue: "ok", work: "ok" },
    });
  });

  it("is ready but degraded without what it can do without, and reports why", async () => {
    const health = new Health();
    health.run({ ...fine, useful: { ...fine.useful, queue: () => Promise.reject(new Error("away")) } });
    assert.deepEqual(await health.readiness(), {
      ready: true,
      status: "degraded",
      checks: { database: "ok", migrations: "ok", queue: "away", work: "ok" },
    });
  });

  it("does not wait for ever for a part that hangs", async () => {
    const health = new Health();
    health.run({ ...fine, needed: { ...needed, database: () => new Promise(() => undefined) } });
    assert.equal((await health.readiness()).checks["database"], "no answer within 2000 ms");
  });

  it("asks once for a hundred callers at the same time", async () => {
    let asked = 0;
    const health = new Health();
    health.run({ ...fine, needed: { ...needed, database: () => Promise.resolve(void asked++) } });
    await Promise.all(Array.from({ length: 100 }, () => health.readiness()));
    assert.equal(asked, 1);
    await health.readiness();
    assert.equal(asked, 2);
  });
});
