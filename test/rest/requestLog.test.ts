// Tests what REST v1 leaves in the request log: one row a request, in time, without secrets.
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.js";
import { fixedClock } from "../support/services.js";
import type { CaseRequest } from "./support/case.js";
import { send } from "./support/send.js";
import { startRest, type RestService } from "./support/service.js";
import { fillWorld, type World } from "./support/world.js";

const NOW = new Date("2026-11-21T12:00:00Z");

describe("rest/requestLog", () => {
  let service: RestService;
  let world: World;
  before(async () => {
    service = await startRest({ clock: fixedClock(NOW) });
    world = await fillWorld(service.services.pool, NOW);
  });
  after(() => service.close());
  beforeEach(() => service.services.pool.query("truncate request_log"));

  async function logged(): Promise<unknown[]> {
    const { rows } = await service.services.pool.query(
      "select token_name, source_ip, method, path, status from request_log order by id",
    );
    return rows.map((row) => Object.values(row));
  }

  it("has a row of a changing request before its answer leaves, refused or not", async () => {
    const requests: readonly [request: CaseRequest, row: readonly unknown[]][] = [
      [
        post("/users?secret=hidden", { json: { email: "l@example.com", username: "l" } }),
        ["full", "127.0.0.1", "POST", "/api/v1/users", 201],
      ],
      [post("/users", { token: null }), [null, "127.0.0.1", "POST", "/api/v1/users", 401]],
      [post("/users", { token: "revoked" }), [null, "127.0.0.1", "POST", "/api/v1/users", 401]],
      [
        post("/hosts/2/guests", { token: "scoped", headers: { "X-Forwarded-For": "198.51.100.7" } }),
        ["scoped", "198.51.100.7", "POST", "/api/v1/hosts/2/guests", 403],
      ],
      [post("/users", { token: "restricted" }), ["restricted", "127.0.0.1", "POST", "/api/v1/users", 403]],
      [post("/hosts"), ["full", "127.0.0.1", "POST", "/api/v1/hosts", 405]],
      [post("/users", { raw: "{" }), ["full", "127.0.0.1", "POST", "/api/v1/users", 422]],
      [post("/users", { raw: "x".repeat(1_100_000) }), ["full", "127.0.0.1", "POST", "/api/v1/users", 413]],
      [
        post("/agent/heartbeat?wait=0", { token: "agent", json: {} }),
        [null, "127.0.0.1", "POST", "/api/v1/agent/heartbeat", 422],
      ],
      [post("/agent/heartbeat"), [null, "127.0.0.1", "POST", "/api/v1/agent/heartbeat", 401]],
      [
        { method: "DELETE", path: "/hosts/1/guests/qemu/100" },
        ["full", "127.0.0.1", "DELETE", "/api/v1/hosts/1/guests/qemu/100", 202],
      ],
    ];
    for (const [request, row] of requests) {
      const before = (await logged()).length;
      await send(service, world, request);
      assert.deepEqual((await logged()).slice(before), [row]);
    }
  });

  it("has the rows of reading requests soon", async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        send(service, world, { method: "GET", path: `/hosts?page=${index + 1}&token=drv_secret` }),
      ),
    );
    await send(service, world, { method: "GET", path: "/hosts", token: "limited" });
    await eventually(async () => assert.equal((await logged()).length, 31));
    const rows = await logged();
    assert.deepEqual(rows[0], ["full", "127.0.0.1", "GET", "/api/v1/hosts", 200]);
    assert.deepEqual(rows.at(-1), ["limited", "127.0.0.1", "GET", "/api/v1/hosts", 200]);
  });
});

const post = (path: string, extra: Partial<CaseRequest> = {}): CaseRequest => ({ method: "POST", path, ...extra });
