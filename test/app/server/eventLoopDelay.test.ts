// A process that is late with its own work for many takes in no more requests, and says so; what watches it is answered all the same.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { mock } from "node:test";
import { readConfig } from "../../../src/config/config.js";
import { startService, type Service } from "../../../app/service.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { eventually } from "../../support/eventually.js";
import { silentLog } from "../../support/log.js";

/** Of the service: a busy machine is to be in time again by itself. */
const LATE_MS = 100;
const PATIENCE_MS = 100_000;
/** More than the rule asks for. */
const CROWD = 40;
/** Requests one after the other, each of which takes several turns that are late. */
const PATIENT_REQUESTS = 5;

describe("server/eventLoopDelay: a service that is late", function () {
  this.timeout(3 * PATIENCE_MS);
  let database: TestDatabase;
  let service: Service;
  /** Part of the time in which the process has a processor, whatever else the machine does. */
  let ownCpu = 1;
  before(async () => {
    mock.method(process, "cpuUsage", () => ({ user: ownCpu * performance.now() * 1000, system: 0 }));
    database = await createTestDatabase();
    const DROVER_SECRET = randomBytes(32).toString("base64");
    const config = readConfig({ PORT: "0", DATABASE_URL: database.url, DROVER_SECRET, DROVER_ROLE: "api" });
    service = await startService({ ...config, limits: { ...config.limits, lateMs: LATE_MS } }, silentLog);
  });
  after(async () => {
    mock.restoreAll();
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

  it("refuses requests, answers agents and monitoring, and takes requests again", async () => {
    const crowd = await Crowd.gather(service.url);
    const blocking = blockTheLoop();
    await eventually(async () => assert.equal((await rest()).status, 503), PATIENCE_MS);
    const [refused, beat, health] = await Promise.all([graphql(), heartbeat(), fetch(`${service.url}/healthz`)]);
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "2"]);
    assert.partialDeepStrictEqual(await refused.json(), {
      errors: [{ extensions: { code: "UNAVAILABLE", reason: "BUSY" } }],
    });
    assert.deepEqual([beat.status, health.status], [401, 200]);
    assert.match(await (await fetch(`${service.url}/metrics`)).text(), /drover_requests_shed_total [1-9]/);
    blocking.end();
    crowd.end();
    await served();
  });

  const served = () =>
    eventually(async () => {
      assert.deepEqual([(await rest()).status, (await graphql()).status], [401, 200]);
    }, PATIENCE_MS);

  it("takes requests again when few ask, late or not", async () => {
    const crowd = await Crowd.gather(service.url);
    const blocking = blockTheLoop();
    await eventually(async () => assert.equal((await rest()).status, 503), PATIENCE_MS);
    crowd.end();
    await served();
    blocking.end();
  });

  it("serves a single caller, however late", async () => {
    await served();
    const blocking = blockTheLoop();
    for (let sent = 0; sent < PATIENT_REQUESTS; sent++) assert.equal((await rest()).status, 401);
    blocking.end();
  });

  it("serves everybody while its neighbours keep it from its work", async () => {
    ownCpu = 0.1;
    await served();
    const crowd = await Crowd.gather(service.url);
    const blocking = blockTheLoop();
    for (let sent = 0; sent < PATIENT_REQUESTS; sent++) assert.equal((await rest()).status, 401);
    blocking.end();
    crowd.end();
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

/** Requests that are in progress until it is ended: their bodies do not come. A refused one is sent again. */
class Crowd {
  readonly #isEnded = new AbortController();

  /** Resolves when all are in progress: a service that is late accepts one connection a turn. */
  static async gather(url: string): Promise<Crowd> {
    const crowd = new Crowd();
    await Promise.all(Array.from({ length: CROWD }, () => crowd.#join(`${url}/graphql`)));
    return crowd;
  }

  end(): void {
    this.#isEnded.abort();
  }

  async #join(url: string): Promise<void> {
    const { signal } = this.#isEnded;
    if (signal.aborted) return;
    const headers = { "content-length": 100, expect: "100-continue" };
    const sent = request(url, { method: "POST", headers, agent: false, signal });
    const again = (): void => {
      sent.destroy();
      void this.#join(url);
    };
    sent.once("response", again).once("error", again).flushHeaders();
    await once(sent, "continue").catch(() => undefined);
  }
}
