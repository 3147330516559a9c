// A connection is ended when its client answers no ping, and nothing is sent on one that has ended.
import assert from "node:assert/strict";
import { once } from "node:events";
import { setImmediate as immediate } from "node:timers/promises";
import { WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { ClientSocket, type SocketTurn } from "../../graphql/clientSocket.js";
import { silentLog } from "../support/log.js";
import { until } from "../support/until.js";

/** Close code of a connection that ends without a close message. */
const ABNORMAL = 1006;

describe("graphql/clientSocket", () => {
  let server: WebSocketServer;
  const clients: WebSocket[] = [];
  beforeEach(async () => {
    server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
    await once(server, "listening");
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.terminate();
    server.close();
  });

  /** A client, and the service's end of its connection. */
  async function connect(
    autoPong: boolean,
    turn?: SocketTurn,
  ): Promise<{ client: WebSocket; socket: WebSocket; served: ClientSocket }> {
    const { port } = z.object({ port: z.number() }).parse(server.address());
    const accepted = Promise.withResolvers<{ socket: WebSocket; served: ClientSocket }>();
    server.once("connection", (socket: WebSocket) => {
      accepted.resolve({
        socket,
        served: new ClientSocket({ socket, sourceIp: "127.0.0.1", log: silentLog, ...(turn && { turn }) }),
      });
    });
    const client = new WebSocket(`ws://127.0.0.1:${port}`, { autoPong });
    clients.push(client);
    await once(client, "open");
    return { client, ...(await accepted.promise) };
  }

  it("is ended at the second ping when its client has not answered the first", async () => {
    const { client, served } = await connect(false);
    const closed = once(client, "close");
    served.ping();
    served.ping();
    const [code] = await closed;
    assert.equal(code, ABNORMAL);
  });

  it("stays when its client answers", async () => {
    const { client, socket, served } = await connect(true);
    for (let pings = 0; pings < 3; pings++) {
      const answered = once(socket, "pong");
      served.ping();
      await answered;
    }
    assert.deepEqual([client.readyState, socket.readyState], [WebSocket.OPEN, WebSocket.OPEN]);
  });

  it("sends nothing after its end", async () => {
    const { client, socket, served } = await connect(true);
    const closed = once(socket, "close");
    client.terminate();
    await closed;
    await served.send("late");
    served.cutForSlowness();
    assert.equal(socket.bufferedAmount, 0);
  });

  it("takes a send that fails for the end of the connection", async () => {
    const { client, socket, served } = await connect(true);
    const closed = once(socket, "close");
    // Nothing is read of it, so that its end is noticed by writing.
    socket.pause();
    client.terminate();
    while (served.isOpen) await served.send("x".repeat(100_000));
    await closed;
  });

  describe("with a large message", () => {
    const LARGE = "x".repeat(20_000);
    let turns: (() => void)[];
    let handled: string[];
    beforeEach(() => {
      turns = [];
      handled = [];
    });
    const turn: SocketTurn = (_client, bytes) =>
      bytes < LARGE.length ? Promise.resolve() : new Promise((resolve) => turns.push(resolve));
    const listen = (served: ClientSocket): void =>
      served.onMessage(async (text) => {
        handled.push(text);
      });

    it("handles it in its turn, and what was sent after it behind it", async () => {
      const { client, served } = await connect(true, turn);
      listen(served);
      for (const text of ["before", LARGE, "between", LARGE, "after"]) client.send(text);
      await until("the first waits", () => turns.length === 1);
      assert.deepEqual(handled, ["before"]);
      turns.shift()?.();
      await until("the second waits", () => turns.length === 1);
      assert.deepEqual(handled, ["before", LARGE, "between"]);
      turns.shift()?.();
      await until("all are handled", () => handled.length === 5);
      assert.equal(handled[4], "after");
      client.send("later");
      await until("reading goes on", () => handled.length === 6);
    });

    it("handles nothing that waited when the connection ends", async () => {
      const { client, socket, served } = await connect(true, turn);
      listen(served);
      for (const text of [LARGE, "after"]) client.send(text);
      await until("it waits", () => turns.length === 1);
      const closed = once(socket, "close");
      socket.terminate();
      await closed;
      turns.shift()?.();
      await immediate();
      assert.deepEqual(handled, []);
    });
  });
});
