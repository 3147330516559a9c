// A process that is late with its work takes in no more requests, and says so; what watches it is answered all the same.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readConfig } from "../../../src/config/config.js";
import { EventLoopDelayRule } from "../../../app/server/eventLoopDelay.js";
import { startService, type Service } from "../../../app/service.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { eventually } from "../../support/eventually.js";
import { silentLog } from "../../support/log.js";

const LIMIT = 100;
/** Of the service: a busy machine is to be in time again by itself. */
const LATE_MS = 250;
const PATIENCE_MS = 100_000;

const times = (count: number, lateMs: number): number[] => Array.from({ length: count }, () => lateMs);

function afterSamples(...samples: readonly number[]): boolean {
  const rule = new EventLoopDelayRule(LIMIT);
  for (const lateMs of samples) rule.add(lateMs);
  return rule.isTooHigh;
}

describe("server/eventLoopDelay: the rule", () => {
  const cases: readonly (readonly [what: string, samples: readonly number[], isTooHigh: boolean])[] = [
    ["is not overload after one late sample", [101], false],
    ["is not overload after late samples that are apart", [101, 0, 101, 100, 101], false],
    ["is overload after two late samples in a row", [101, 101], true],
    ["is not late exactly at the limit", [100, 100, 100], false],
    ["stays overload for nine punctual samples", [101, 101, ...times(9, 0)], true],
    ["ends after ten punctual samples", [101, 101, ...times(10, 50)], false],
    ["counts anew after a sample above half of the limit", [101, 101, ...times(9, 0), 51, ...times(9, 0)], true],
    ["needs two late samples again after it has ended", [101, 101, ...times(10, 0), 101], false],
    ["is overload again after these two", [101, 101, ...times(10, 0), 101, 101], true],
  ];
  for (const [what, samples, isTooHigh] of cases) {
    it(what, () => assert.equal(afterSamples(...samples), isTooHigh));
  }

  it("returns true only for a sample that changes the state", () => {
    const rule = new EventLoopDelayRule(LIMIT);
    assert.deepEqual(
      [101, 101, 101, ...times(10, 0), 0].map((lateMs) => rule.add(lateMs)),
      [false, true, ...times(10, 0).map(() => false), true, false],
    );
  });
});

describe("server/eventLoopDelay: a service that is late", function () {
  this.timeout(3 * PATIENCE_MS);
  let database: TestDatabase;
  let service: Service;
  before(async () => {
    database = await createTestDatabase();
    const DROVER_SECRET = randomBytes(32).toString("base64");
    const config = readConfig({ PORT: "0", DATABASE_URL: database.url, DROVER_SECRET, DROVER_ROLE: "api" });
    service = await startService({ ...config, limits: { ...config.limits, lateMs: LATE_MS } }, silentLog);
  });
  after(async () => {
    await service.stop();
    await database.close();
  });

  const rest = () => fetch(`${service.url}/api/v1/hosts`);
  const graphql = () =>
    fetch(`${service.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: "{ __typename }" }),
    });
  const heartbeat = () => fetch(`${service.url}/api/v1/agent/heartbeat`, { method: "POST", body: "{}" });

  it("refuses requests, answers agents and whoever watches, and takes requests again", async () => {
    const blocking = blockTheLoop();
    await eventually(async () => assert.equal((await rest()).status, 503), PATIENCE_MS);
    const [refused, beat, health] = await Promise.all([graphql(), heartbeat(), fetch(`${service.url}/healthz`)]);
    const [{ extensions }] = (await refused.json()).errors;
    assert.deepEqual(
      [refused.status, refused.headers.get("retry-after"), extensions.code, extensions.reason],
      [503, "2", "UNAVAILABLE", "BUSY"],
    );
    assert.deepEqual([beat.status, health.status], [401, 200]);
    assert.match(await (await fetch(`${service.url}/metrics`)).text(), /drover_requests_shed_total [1-9]/);
    blocking.end();
    await eventually(async () => {
      assert.deepEqual([(await rest()).status, (await graphql()).status], [401, 200]);
    }, PATIENCE_MS);
  });
});

/** Every turn of the loop takes longer than the limit, by far, until it is ended. */
function blockTheLoop(): { end(): void } {
  let isEnded = false;
  const turn = (): void => {
    const until = performance.now() + 2.5 * LATE_MS;
    while (performance.now() < until);
    if (!isEnded) setImmediate(turn);
  };
  setImmediate(turn);
  return { end: () => void (isEnded = true) };
}
