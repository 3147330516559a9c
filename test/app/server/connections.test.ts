// The bound on the connections of the HTTP server.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Health } from "../../../src/observability/health.js";
import { connectionsRefused } from "../../../src/observability/metrics.js";
import { openHttpServer, type HttpServer } from "../../../app/server/httpServer.js";
import { eventually } from "../../support/eventually.js";
import { silentLog } from "../../support/log.js";

const SLOW_HEADERS = "GET /healthz HTTP/1.1\r\nHost:";
const SLOW_BODY = "POST /healthz HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\n1";
const ASK = "GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n";

async function refused(): Promise<number> {
  const { values } = await connectionsRefused.get();
  return values[0]?.value ?? 0;
}

describe("the connections of the HTTP server", () => {
  let http: HttpServer;
  const sockets: Socket[] = [];
  before(async () => {
    const health = new Health();
    http = await openHttpServer({
      bind: "127.0.0.1",
      port: 0,
      health,
      log: silentLog,
      leaveMs: 0,
      mostConnections: 1,
    });
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await http.close();
  });

  /** @returns what the server answers on a connection of its own; empty when it hangs up */
  async function answerOn(socket: Socket): Promise<string> {
    sockets.push(socket);
    socket.write(ASK);
    const hungUp = new Promise<string>((resolve) => {
      socket.on("close", () => resolve("")).on("error", () => resolve(""));
    });
    return Promise.race([once(socket, "data").then(([data]) => String(data)), hungUp]);
  }

  const open = (): Socket => connect(Number(new URL(http.url).port), "127.0.0.1");

  it("hangs up on who comes beyond it, counts them, and takes the next when one has gone", async () => {
    const before = await refused();
    const first = open();
    assert.match(await answerOn(first), /200 OK/);
    assert.equal(await answerOn(open()), "");
    assert.equal((await refused()) - before, 1);
    first.destroy();
    await eventually(async () => assert.match(await answerOn(open()), /200 OK/));
  });
});

describe("a client that is slow to send its request", () => {
  let http: HttpServer;
  before(async () => {
    const arrival = { headersTimeout: 200, requestTimeout: 400, connectionsCheckingInterval: 50 };
    http = await openHttpServer({
      bind: "127.0.0.1",
      port: 0,
      health: new Health(),
      log: silentLog,
      leaveMs: 0,
      arrival,
    });
  });
  after(() => http.close());

  for (const [what, sent, answer] of [
    ["headers", SLOW_HEADERS, /^HTTP\/1\.1 408/],
    ["body", SLOW_BODY, /^HTTP\/1\.1 503/],
  ] as const) {
    it(`is hung up on when the whole of its ${what} does not come`, async () => {
      const socket = connect(Number(new URL(http.url).port), "127.0.0.1");
      const told: string[] = [];
      socket.on("data", (data) => told.push(String(data)));
      socket.write(sent);
      await once(socket, "close");
      assert.match(told.join(""), answer);
    });
  }
});
