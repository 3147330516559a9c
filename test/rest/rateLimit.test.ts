// Tests the rate limit over HTTP: headers, shared windows, what counts and what does not.
import assert from "node:assert/strict";
import { send } from "./support/send.js";
import { startRest, type RestService } from "./support/service.js";
import { storeToken } from "../support/tokens.js";
import { fillWorld, type World } from "./support/world.js";

describe("rest/rateLimit", () => {
  let present = new Date("2026-11-21T12:00:20Z");
  let service: RestService;
  let world: World;
  before(async () => {
    service = await startRest({ clock: { offsetSeconds: 0, now: () => present } });
    world = await fillWorld(service.services.pool, present);
  });
  after(() => service.close());

  it("reports the limit with every answer, and refuses with Retry-After what is beyond", async () => {
    const request = { method: "GET", path: "/hosts", token: "limited" } as const;
    const first = await send(service, world, request);
    assert.deepEqual([first.status, ...limits(first.headers)], [200, "2", "1", "40"]);
    const other = await send(service, world, { ...request, path: "/nonsense" });
    assert.deepEqual([other.status, ...limits(other.headers)], [404, "2", "0", "40"]);
    for (const second of [20, 45]) {
      present = new Date(`2026-11-21T12:00:${second}Z`);
      const refused = await send(service, world, { ...request, path: "/hosts/99/guests" });
      const left = String(60 - second);
      assert.deepEqual([refused.status, ...limits(refused.headers)], [429, "2", "0", left]);
      assert.equal(refused.headers.get("retry-after"), left);
      assert.deepEqual(Object.keys(Object(refused.body)), ["error"]);
    }
    present = new Date("2026-11-21T12:01:00Z");
    assert.equal((await send(service, world, request)).status, 200);
  });

  it("reports nothing without a limit", async () => {
    const { headers } = await send(service, world, { method: "GET", path: "/hosts" });
    assert.deepEqual(limits(headers), [null, null, null]);
  });

  it("lets exactly the limit through when many come at once", async () => {
    const { value } = await storeToken(service.services.pool, { name: "ten", rate_limit: 10 });
    const token = `Bearer ${value}` as const;
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => send(service, world, { method: "GET", path: "/hosts", token })),
    );
    const statuses = Map.groupBy(answers, ({ status }) => status);
    assert.equal(statuses.get(200)?.length, 10);
    assert.equal(statuses.get(429)?.length, 30);
  });
});

const limits = (headers: Headers): (string | null)[] =>
  ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));
