// Subscribers who ask the same: who shares with whom, and that nobody is told less, more or something else for it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { pino } from "pino";
import { WebSocket } from "ws";
import { countStatementsWith } from "../support/statements.js";
import { storeToken } from "../support/tokens.js";
import { Listener } from "./support/listener.js";
import { startGraphql, type GraphqlService } from "./support/service.js";
import { RUNNING_JOB, type World, fillWorld } from "./support/world.js";

/** Part of the statement that reads the progress of a job. */
const READING = "round(";
const PROGRESS = `subscription { jobProgress(id: ${RUNNING_JOB}) { progress } }`;

describe("graphql: subscribers who ask the same", () => {
  let service: GraphqlService;
  let world: World;
  let otherManager: string;
  const logged: string[] = [];
  const open: Listener[] = [];
  const sockets: WebSocket[] = [];

  beforeEach(async () => {
    logged.length = 0;
    const log = pino({ level: "error" }, { write: (line: string) => void logged.push(line) });
    service = await startGraphql({ log });
    world = await fillWorld(service.services.pool);
    const other = { name: "other manager", permissions: ["hosts.manage"] };
    otherManager = (await storeToken(service.services.pool, other)).value;
  });
  afterEach(async () => {
    for (const listener of open.splice(0)) listener.dispose();
    for (const socket of sockets.splice(0)) socket.terminate();
    await service.close();
  });

  const sql = (text: string, values: unknown[] = []) => service.services.pool.query(text, values);
  const setProgress = (progress: number) => sql(`update job set progress = $1 where id = $2`, [progress, RUNNING_JOB]);

  function listen(token: string, query = PROGRESS, variables: Record<string, unknown> = {}): Listener {
    const listener = new Listener(service, { token, query, variables });
    open.push(listener);
    return listener;
  }

  it("are sent each change by one statement, also when their tokens differ but not their rights", async () => {
    const steps = Array.from({ length: 10 }, (_, step) => (51 + step) / 100);
    const first = listen(world.manager);
    const second = listen(otherManager);
    const all = [first, second, ...Array.from({ length: 20 }, () => first.also(PROGRESS))];
    for (const listener of all) assert.equal(await progressOf(listener), 0.5);
    await service.listeners("job", 1);
    const statements = await countStatementsWith(service.services.pool, READING, async () => {
      for (const step of steps) {
        await setProgress(step);
        for (const listener of all) assert.equal(await progressOf(listener), step);
      }
    });
    // The first change may be seen by a reading for the last subscriber that began before; then its own is one too many, or still to come.
    assert.ok(Math.abs(statements - steps.length) <= 1, `${statements} statements`);
  });

  it("share nothing when they may see something else", async () => {
    const all = [listen(world.manager), listen(world.scoped), listen(world.admin), listen(world.customer)];
    for (const listener of all) assert.equal(await progressOf(listener), 0.5);
    await service.listeners("job", all.length);
  });

  it("share nothing when their variables differ", async () => {
    const query = "subscription ($id: Int!) { jobProgress(id: $id) { id } }";
    const [first, second] = [listen(world.manager, query, { id: 1 }), listen(world.manager, query, { id: 2 })];
    assert.deepEqual(await first.next(), { jobProgress: { id: 1 } });
    assert.deepEqual(await second.next(), { jobProgress: { id: 2 } });
    await service.listeners("job", 2);
  });

  it("are sent further changes when one of them leaves, and no listener remains after the last", async () => {
    const [leaving, staying] = [listen(world.manager), listen(otherManager)];
    for (const listener of [leaving, staying]) await listener.next();
    leaving.dispose();
    await leaving.closed();
    await setProgress(0.75);
    assert.equal(await progressOf(staying), 0.75);
    await service.listeners("job", 1);
    staying.dispose();
    await service.listeners("job", 0);
  });

  it("are sent further changes when the token of one of them is revoked, who was the first to ask", async () => {
    const [revoked, staying] = [listen(world.manager), listen(otherManager)];
    for (const listener of [revoked, staying]) await listener.next();
    await service.listeners("job", 1);
    await sql(`update api_token set revoked_at = now() where name = 'manager'`);
    assert.equal(await revoked.closed(), 4403);
    await setProgress(0.75);
    assert.equal(await progressOf(staying), 0.75);
  });

  it("are sent the end of what they follow, and a later subscriber is sent how it ended", async () => {
    const [first, second] = [listen(world.manager), listen(otherManager)];
    for (const listener of [first, second]) await listener.next();
    await sql(`update job set status = 'done', progress = 1, finished_at = now() where id = $1`, [RUNNING_JOB]);
    for (const listener of [first, second]) {
      assert.equal(await progressOf(listener), 1);
      await listener.ended();
    }
    const late = listen(world.manager);
    assert.equal(await progressOf(late), 1);
    await late.ended();
  });

  it("are sent an internal fault with the same request, which is in the log once", async () => {
    const all = [listen(world.manager), listen(otherManager)];
    for (const listener of all) await listener.next();
    await sql("alter table job rename column progress to other");
    await sql("select announce('job', $1)", [RUNNING_JOB]);
    const messages = new Set<string>();
    for (const listener of all) messages.add((await listener.refused()).message);
    assert.equal(messages.size, 1);
    assert.match([...messages].join(""), /^Internal error \(request [0-9a-f-]{36}\)$/);
    assert.equal(logged.length, 1, logged.join("\n"));
  });

  it("each miss nothing and receive nothing twice, whenever they join", async () => {
    const steps = Array.from({ length: 30 }, (_, step) => 0.51 + step / 100);
    const last = steps.at(-1) ?? Number.NaN;
    const first = listen(world.manager);
    const hear = async (listener: Listener): Promise<number[]> => {
      const heard: number[] = [];
      while (heard.at(-1) !== last) heard.push(await progressOf(listener));
      return heard;
    };
    const hearing: Promise<number[]>[] = [hear(first)];
    for (const step of steps) {
      hearing.push(hear(first.also(PROGRESS)));
      await setProgress(step);
    }
    for (const heard of await Promise.all(hearing)) {
      assert.deepEqual(
        heard,
        [...new Set(heard)].toSorted((left, right) => left - right),
      );
    }
  });

  it("do not wait for a slow one; a slow one is sent fewer states, and the last one when it reads on", async () => {
    const rounds = 20;
    const query = `subscription { jobProgress(id: ${RUNNING_JOB}) { progress step } }`;
    const reading = listen(world.manager, query);
    await reading.next();
    const slow = await subscribe(world.manager, query);
    slow.pause();
    for (let round = 1; round <= rounds; round++) {
      // Longer than what the network takes in for a client that does not read.
      await sql(`update job set progress = $1, step = repeat('x', 1000000) where id = $2`, [round / 100, RUNNING_JOB]);
      assert.equal(await progressOf(reading), round / 100);
    }
    const told: number[] = [];
    const { promise: all, resolve } = Promise.withResolvers<void>();
    slow.on("message", (data: Buffer) => {
      told.push(JSON.parse(data.toString("utf8")).payload.data.jobProgress.progress);
      if (told.at(-1) === rounds / 100) resolve();
    });
    slow.resume();
    await all;
    assert.ok(told.length < rounds, `${told.length} messages`);
    assert.deepEqual(
      told,
      told.toSorted((left, right) => left - right),
    );
  }).timeout(120_000);

  /** Subscribes without a library that reads on its own. Resolves when the first state has come. */
  async function subscribe(token: string, query: string): Promise<WebSocket> {
    const socket = new WebSocket(`${service.origin.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    sockets.push(socket);
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${token}` } }));
    await once(socket, "message");
    socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query } }));
    await once(socket, "message");
    return socket;
  }
});

/** The progress that it is told next. */
async function progressOf(listener: Listener): Promise<number> {
  const { jobProgress } = await listener.next();
  assert.ok(typeof jobProgress === "object" && jobProgress !== null && "progress" in jobProgress);
  return Number(jobProgress.progress);
}
