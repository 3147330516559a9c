// A connection is ended when its client answers no ping, and nothing is sent on one that has ended.
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { ClientSocket } from "../../graphql/clientSocket.js";
import { silentLog } from "../support/log.js";

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
  async function connect(autoPong: boolean): Promise<{ client: WebSocket; socket: WebSocket; served: ClientSocket }> {
    const { port } = z.object({ port: z.number() }).parse(server.address());
    const accepted = Promise.withResolvers<{ socket: WebSocket; served: ClientSocket }>();
    server.once("connection", (socket: WebSocket) => {
      accepted.resolve({ socket, served: new ClientSocket({ socket, sourceIp: "127.0.0.1", log: silentLog }) });
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
});
