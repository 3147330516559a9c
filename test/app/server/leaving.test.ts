// How the HTTP server ends: clients that keep connections alive lose no request.
import assert from "node:assert/strict";
import { Agent, get, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { Health } from "../../../src/observability/health.js";
import { openHttpServer } from "../../../app/server/httpServer.js";
import { silentLog } from "../../support/log.js";

describe("the HTTP server", () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  after(() => agent.destroy());

  const ask = async (url: string) => {
    const [answer]: IncomingMessage[] = await once(get(url, { agent }), "response");
    assert.ok(answer);
    const { statusCode, headers, socket } = answer;
    const { localPort } = socket;
    answer.resume();
    await once(answer, "end");
    return { statusCode, connection: headers.connection, localPort };
  };

  it("asks clients to leave with their next answer before it closes, and waits until they have", async () => {
    const health = new Health();
    const server = await openHttpServer({ bind: "127.0.0.1", port: 0, health, log: silentLog, leaveMs: 60_000 });
    const url = `${server.url}/healthz`;
    const first = await ask(url);
    assert.equal(first.connection, "keep-alive");
    const closed = server.close();
    assert.deepEqual(await ask(url), { ...first, connection: "close" });
    await closed;
    await assert.rejects(ask(url), { code: "ECONNREFUSED" });
  });
});
