// The ids of subscriptions on one connection, and the end of subscriptions by either side.
import assert from "node:assert/strict";
import { on, once } from "node:events";
import { WebSocket } from "ws";
import { z } from "zod";
import { startGraphql, type GraphqlService } from "./support/service.js";
import { RUNNING_JOB, type World, fillWorld } from "./support/world.js";

const JOB = `subscription { jobProgress(id: ${RUNNING_JOB}) { progress } }`;
const GUESTS = "subscription { guestChanged { vmid } }";
/** Close code of the protocol: an id is in use. */
const ALREADY_EXISTS = 4409;

const received = z.object({ id: z.string().optional(), type: z.string() });
/** What `ws` tells of a message. */
const arrival = z.tuple([z.instanceof(Buffer), z.boolean()]);

describe("graphql: subscriptions of one connection", () => {
  let service: GraphqlService;
  let world: World;
  let socket: WebSocket;
  let messages: AsyncIterator<unknown>;

  beforeEach(async () => {
    service = await startGraphql();
    world = await fillWorld(service.services.pool);
    socket = new WebSocket(`${service.origin.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    messages = on(socket, "message");
    await once(socket, "open");
    send({ type: "connection_init", payload: { authorization: `Bearer ${world.plain}` } });
    assert.equal((await next()).type, "connection_ack");
  });
  afterEach(async () => {
    socket.terminate();
    await service.close();
  });

  const send = (message: object): void => socket.send(JSON.stringify(message));
  const subscribe = (id: string, query: string): void => send({ id, type: "subscribe", payload: { query } });
  const sql = (text: string) => service.services.pool.query(text);

  /** Id and type of the next message. */
  async function next(): Promise<z.infer<typeof received>> {
    const { value } = await messages.next();
    const [data] = arrival.parse(value);
    return received.parse(JSON.parse(data.toString("utf8")));
  }

  /** The next message is an event of this subscription. */
  async function event(id: string): Promise<void> {
    assert.deepEqual(await next(), { id, type: "next" });
  }

  it("an id that is in use is refused", async () => {
    subscribe("a", JOB);
    await event("a");
    const closed = once(socket, "close");
    subscribe("a", GUESTS);
    const [code] = await closed;
    assert.equal(code, ALREADY_EXISTS);
    await service.listeners("job", 0);
  });

  it("one is ended by its client, and its id can be used again", async () => {
    subscribe("a", JOB);
    await event("a");
    send({ id: "a", type: "complete" });
    await service.listeners("job", 0);
    subscribe("a", JOB);
    await event("a");
    await sql(`update job set progress = 0.75 where id = ${RUNNING_JOB}`);
    await event("a");
  });

  it("one that its client ends before it has begun never begins", async () => {
    subscribe("a", JOB);
    send({ id: "a", type: "complete" });
    subscribe("b", JOB);
    await event("b");
    await sql(`update job set progress = 0.75 where id = ${RUNNING_JOB}`);
    await event("b");
    send({ id: "b", type: "complete" });
    await service.listeners("job", 0);
  });

  it("one is ended with what it follows, which is sent once, and its id can be used again", async () => {
    subscribe("a", JOB);
    subscribe("b", JOB);
    await event("a");
    await event("b");
    await sql(`update job set status = 'done', finished_at = now() where id = ${RUNNING_JOB}`);
    await event("a");
    await event("b");
    for (const id of ["a", "b"]) assert.deepEqual(await next(), { id, type: "complete" });
    subscribe("a", JOB);
    await event("a");
    assert.deepEqual(await next(), { id: "a", type: "complete" });
  });

  it("all are ended with their connection", async () => {
    subscribe("a", JOB);
    await event("a");
    subscribe("b", GUESTS);
    await service.followers(1);
    socket.close();
    await service.followers(0);
    await service.listeners("job", 0);
  });
});
