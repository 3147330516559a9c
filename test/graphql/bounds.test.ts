// What is bounded for WebSocket connections, and what subscribers are told when the database cannot serve.
import assert from "node:assert/strict";
import { once } from "node:events";
import { Client } from "pg";
import { WebSocket } from "ws";
import { readConfig } from "../../src/config/config.js";
import type { Limits } from "../../src/config/limits.js";
import { socketsCut } from "../../src/observability/metrics.js";
import { eventually } from "../support/eventually.js";
import { Listener } from "./support/listener.js";
import { startGraphql, type GraphqlService } from "./support/service.js";
import { RUNNING_JOB, type World, fillWorld } from "./support/world.js";

const TRY_AGAIN_LATER = 1013;
const TOO_SLOW = 4508;
const MOST_OPERATIONS = 100;

/** A document that no other number has. */
const distinct = (number: number): string => `subscription S${number} { guestChanged { id } }`;

describe("graphql: the bounds of WebSocket connections", () => {
  let service: GraphqlService;
  let world: World;
  const listeners: Listener[] = [];
  const sockets: WebSocket[] = [];

  async function start(limits: Partial<Limits> = {}): Promise<void> {
    service = await startGraphql({ config: { limits: { ...readConfig({}).limits, ...limits } } });
    world = await fillWorld(service.services.pool);
  }
  afterEach(async () => {
    for (const listener of listeners.splice(0)) listener.dispose();
    for (const socket of sockets.splice(0)) socket.terminate();
    await service.close();
  });

  function listen(token: string, query: string): Listener {
    const listener = new Listener(service, { token, query });
    listeners.push(listener);
    return listener;
  }

  function open(): WebSocket {
    const socket = new WebSocket(`${service.origin.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    sockets.push(socket);
    return socket;
  }

  /** Comes in with a token. @throws Error when the connection is closed instead */
  async function letIn(socket: WebSocket): Promise<void> {
    const refused = new AbortController();
    socket.once("close", () => refused.abort());
    await once(socket, "open", refused);
    const answered = once(socket, "message", refused);
    socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${world.plain}` } }));
    const [message] = await answered;
    assert.equal(String(message), '{"type":"connection_ack"}');
  }

  const limits: readonly (readonly [string, Partial<Limits>, string])[] = [
    ["in all", { sockets: 1 }, "Too many connections"],
    ["of one address", { socketsPerAddress: 1 }, "Too many connections from this address"],
  ];
  for (const [which, limit, reason] of limits) {
    it(`asks a client beyond the connections ${which} to come again later, and lets in the next when one has gone`, async () => {
      await start(limit);
      const first = open();
      await letIn(first);
      assert.deepEqual(await closeOf(open()), [TRY_AGAIN_LATER, reason]);
      first.close();
      await once(first, "close");
      await eventually(() => letIn(open()));
    });
  }

  it("bounds the connections of one token, whatever others have", async () => {
    await start({ socketsPerCaller: 1 });
    const first = listen(world.plain, "subscription { guestChanged { vmid } }");
    await service.followers(1);
    assert.equal(await connecting(world.plain).closed(), TRY_AGAIN_LATER);
    assert.deepEqual(await listen(world.scoped, "{ viewer { hostIds } }").next(), { viewer: { hostIds: [1] } });
    first.dispose();
    await service.followers(0);
    await eventually(async () => {
      assert.deepEqual(await connecting(world.plain).next(), { __typename: "Query" });
    });
  });

  /** A listener that may be refused: its failure is looked at by its close code. */
  function connecting(token: string): Listener {
    return listen(token, "{ __typename }");
  }

  it("refuses an operation beyond those that a connection may have open", async () => {
    await start();
    const first = listen(world.plain, "subscription { guestChanged { vmid } }");
    // Each asks something else, so that each is told apart by whoever counts.
    const rest = Array.from({ length: MOST_OPERATIONS - 1 }, (_, count) =>
      first.also(`subscription { as${count}: guestChanged { vmid } }`),
    );
    await service.followers(MOST_OPERATIONS);
    const { extensions, message } = await first.also("{ __typename }").refused();
    assert.deepEqual([extensions.code, message.includes("100")], ["RATE_LIMITED", true]);
    assert.equal(rest.length, MOST_OPERATIONS - 1);
  });

  it("bounds the different subscriptions of one token, over all of its connections, whatever others have", async () => {
    await start();
    for (let number = 0; number < 500; number += 100) {
      const first = listen(world.plain, distinct(number));
      for (let more = 1; more < 100; more++) first.also(distinct(number + more));
    }
    await service.followers(500);
    const { extensions } = await listen(world.plain, distinct(500)).refused();
    assert.equal(extensions.code, "RATE_LIMITED");
    // What is open already can be shared, and another caller has a count of its own.
    listen(world.plain, distinct(0));
    listen(world.manager, distinct(501));
    await service.followers(501);
  });

  it("ends a connection whose client does not read, and reports why", async () => {
    await start();
    const socket = open();
    await letIn(socket);
    const before = await cut("too_slow");
    socket.pause();
    const payload = { text: "x".repeat(250_000) };
    await eventually(async () => {
      socket.send(JSON.stringify({ type: "ping", payload }));
      assert.equal(await cut("too_slow"), before + 1);
    });
    const closed = closeOf(socket);
    socket.resume();
    assert.deepEqual(await closed, [TOO_SLOW, "Too slow: too much waits to be read"]);
  });

  describe("while the database cannot serve", () => {
    let blocker: Client;
    beforeEach(async () => {
      await start();
      blocker = new Client({ connectionString: service.services.database.url });
      await blocker.connect();
    });
    afterEach(() => blocker.end());

    const block = (table: string) => blocker.query(`begin; lock table ${table} in access exclusive mode`);

    it("reads again for a subscriber, and sends the change late rather than never", async () => {
      const listener = listen(world.plain, `subscription { jobProgress(id: ${RUNNING_JOB}) { progress } }`);
      assert.deepEqual(await listener.next(), { jobProgress: { progress: 0.5 } });
      await block("job");
      await service.services.pool.query(`select pg_notify('drover', '{"topic":"job","id":${RUNNING_JOB}}')`);
      await endWaiting(service, "job");
      await blocker.query(`update job set progress = 0.75 where id = ${RUNNING_JOB}; commit`);
      assert.deepEqual(await listener.next(), { jobProgress: { progress: 0.75 } });
    });

    it("asks a client that connects to come again later, and does not call its token bad", async () => {
      await block("api_token");
      const socket = open();
      await once(socket, "open");
      socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${world.plain}` } }));
      const closed = closeOf(socket);
      await endWaiting(service, "api_token");
      await blocker.query("commit");
      assert.deepEqual(await closed, [TRY_AGAIN_LATER, "The database cannot be reached at present"]);
    });
  });
});

async function cut(reason: string): Promise<number> {
  const { values } = await socketsCut.get();
  return values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
}

/** Ends the connection of whoever waits for the table, as a database does that goes away. */
const endWaiting = (service: GraphqlService, table: string) =>
  eventually(async () => {
    const { rowCount } = await service.services.pool.query(
      `select pg_terminate_backend(pid) from pg_locks where not granted and relation = $1::regclass`,
      [table],
    );
    assert.ok((rowCount ?? 0) > 0);
  });

async function closeOf(socket: WebSocket): Promise<[number, string]> {
  const [code, reason] = await once(socket, "close");
  return [code, String(reason)];
}
