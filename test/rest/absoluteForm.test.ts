// Tests requests whose first line names the service before the path, as clients send them that take it for a proxy.
import assert from "node:assert/strict";
import { get, type IncomingMessage } from "node:http";
import { fixedClock } from "../support/services.js";
import { startRest, type RestService } from "./support/service.js";
import { fillWorld, type World } from "./support/world.js";

const NOW = new Date("2026-11-21T12:00:00Z");

describe("rest: a path with its origin", () => {
  let service: RestService;
  let world: World;
  before(async () => {
    service = await startRest({ clock: fixedClock(NOW) });
    world = await fillWorld(service.services.pool, NOW);
  });
  after(() => service.close());

  /** @returns status and text of the answer to a request whose first line has this instead of a path */
  async function answerTo(target: string): Promise<[status: number | undefined, text: string]> {
    const { hostname, port } = new URL(service.base);
    const headers = { Authorization: `Bearer ${world.tokens.full}` };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ hostname, port, path: target, headers }, resolve).once("error", reject);
    });
    return [response.statusCode, (await response.setEncoding("utf8").toArray()).join("")];
  }

  it("is answered as the path alone", async () => {
    const alone = await answerTo("/api/v1/hosts?perPage=1");
    assert.equal(alone[0], 200);
    assert.deepEqual(await answerTo("http://panel.example/api/v1/hosts?perPage=1"), alone);
    assert.deepEqual(await answerTo("HTTPS://panel.example:8443/api/v1/hosts?perPage=1"), alone);
  });

  it("is logged as the path alone", async () => {
    await answerTo("http://panel.example/api/v1/hosts/1/plans");
    await service.requestLog.flush();
    const { rows } = await service.services.pool.query("select path, status from request_log order by id desc limit 1");
    assert.deepEqual(rows, [{ path: "/api/v1/hosts/1/plans", status: 200 }]);
  });
});
