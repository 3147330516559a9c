// A connection whose other end has gone is ended, one that answers is not; and what is sent to one that is ended is nothing.
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { Wire } from "../../graphql/clientSocket.js";
import { silentLog } from "../support/log.js";

/** Close code of who is told nothing. */
const ABNORMAL = 1006;

describe("graphql/wire", () => {
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
  async function connect(autoPong: boolean): Promise<{ client: WebSocket; socket: WebSocket; wire: Wire }> {
    const { port } = z.object({ port: z.number() }).parse(server.address());
    const accepted = Promise.withResolvers<{ socket: WebSocket; wire: Wire }>();
    server.once("connection", (socket: WebSocket) => {
      accepted.resolve({ socket, wire: new Wire({ socket, sourceIp: "127.0.0.1", log: silentLog }) });
    });
    const client = new WebSocket(`ws://127.0.0.1:${port}`, { autoPong });
    clients.push(client);
    await once(client, "open");
    return { client, ...(await accepted.promise) };
  }

  it("is ended at the second look when its client has not answered", async () => {
    const { client, wire } = await connect(false);
    const closed = once(client, "close");
    wire.look();
    wire.look();
    const [code] = await closed;
    assert.equal(code, ABNORMAL);
  });

  it("stays when its client answers", async () => {
    const { client, socket, wire } = await connect(true);
    for (let look = 0; look < 3; look++) {
      const answered = once(socket, "pong");
      wire.look();
      await answered;
    }
    assert.deepEqual([client.readyState, socket.readyState], [WebSocket.OPEN, WebSocket.OPEN]);
  });

  it("takes nothing when it has ended", async () => {
    const { client, socket, wire } = await connect(true);
    const closed = once(socket, "close");
    client.terminate();
    await closed;
    await wire.send("late");
    wire.cutForSlowness();
    assert.equal(socket.bufferedAmount, 0);
  });
});
