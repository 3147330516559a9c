// The connection for announcements is lost and the database hangs up on who comes again: one connection comes of it, none is left.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { listenForEvents } from "../../src/events/events.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { eventually } from "../support/eventually.js";
import { silentLog } from "../support/log.js";
import { until } from "../support/until.js";

/** Stands before the database and can hang up. */
interface Gate {
  readonly url: string;
  /** Connections that are open through it. */
  open(): number;
  /** Cuts all connections, and the next ones as soon as they are made. */
  hangUp(next: number): void;
  close(): void;
}

async function openGate(databaseUrl: string): Promise<Gate> {
  const url = new URL(databaseUrl);
  const port = Number(url.port);
  const sockets = new Set<Socket>();
  let refused = 0;
  const server = createServer((socket) => {
    if (refused > 0) {
      refused--;
      socket.destroy();
      return;
    }
    sockets.add(socket);
    const beyond = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [socket, beyond],
      [beyond, socket],
    ] as const) {
      from.on("error", () => to.destroy()).on("close", () => to.destroy());
      from.pipe(to);
    }
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  url.port = String(typeof address === "object" ? address?.port : 0);
  return {
    url: url.href,
    open: () => sockets.size,
    hangUp(next) {
      refused = next;
      for (const socket of sockets) socket.destroy();
    },
    close: () => void server.close(),
  };
}

describe("the connection for announcements", () => {
  let database: TestDatabase;
  let gate: Gate;
  before(async () => {
    database = await createTestDatabase();
    gate = await openGate(database.url);
  });
  after(async () => {
    gate.close();
    await database.close();
  });

  it("is one again after attempts that failed, and none once it is closed", async () => {
    const events = await listenForEvents(gate.url, silentLog);
    let gaps = 0;
    const heard: number[] = [];
    events.on("gap", () => gaps++);
    events.on("run", (id) => heard.push(id));
    gate.hangUp(3);
    await until("the gap is announced", () => gaps > 0);
    await database.pool.query(`select announce('run', 7)`);
    await until("the run is announced", () => heard.length > 0);
    assert.deepEqual([heard, gaps, gate.open()], [[7], 1, 1]);
    await events.close();
    await eventually(() => Promise.resolve(assert.equal(gate.open(), 0)));
  });
});
