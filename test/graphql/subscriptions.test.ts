// GraphQL over WebSocket: who comes in, what subscribers are told, and when their connection ends.
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket } from "ws";
import { z } from "zod";
import { countStatements } from "../support/statements.js";
import { ask, startGraphql, type GraphqlService } from "./support/service.js";
import { Listener } from "./support/listener.js";
import { CUSTOMER_ID, fillWorld, storeToken, type World } from "./support/world.js";

const RUNNING_JOB = 1;

describe("graphql/subscriptions", () => {
  let service: GraphqlService;
  let world: World;
  const open: Listener[] = [];

  beforeEach(async () => {
    service = await startGraphql();
    world = await fillWorld(service.services.pool);
    await heardSoFar();
  });
  afterEach(async () => {
    for (const listener of open.splice(0)) listener.dispose();
    await service.close();
  });

  const sql = (text: string, values: unknown[] = []) => service.services.pool.query(text, values);
  /** Resolves when everything that was announced before has been heard, so that it is not told to who listens from then on. */
  async function heardSoFar(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const off = service.services.events.on("job", (id) => {
      if (id === -1) resolve();
    });
    await sql(`select announce('job', -1)`);
    await promise;
    off();
  }
  function listen(token: string, query: string): Listener {
    const listener = new Listener(service, { token, query });
    open.push(listener);
    return listener;
  }

  for (const [name, payload] of [
    ["a bad token", { authorization: `Bearer drv_${"x".repeat(43)}` }],
    ["no token", undefined],
  ] as const) {
    it(`closes a connection with ${name} as forbidden`, async () => {
      const socket = new WebSocket(`${service.origin.replace("http", "ws")}/graphql`, "graphql-transport-ws");
      await once(socket, "open");
      socket.send(JSON.stringify({ type: "connection_init", payload }));
      const [code] = await once(socket, "close");
      assert.equal(code, 4403);
    });
  }

  it("runs queries too", async () => {
    const listener = listen(world.scoped, "{ viewer { hostIds } }");
    assert.deepEqual(await listener.next(), { viewer: { hostIds: [1] } });
    await listener.ended();
  });

  it("tells a job's state first, then each change, and ends with the job", async () => {
    const listener = listen(world.plain, `subscription { jobProgress(id: ${RUNNING_JOB}) { status progress step } }`);
    assert.deepEqual(await listener.next(), { jobProgress: { status: "RUNNING", progress: 0.5, step: "clone" } });
    await sql(`update job set progress = 0.75, step = 'resize' where id = $1`, [RUNNING_JOB]);
    assert.deepEqual(await listener.next(), { jobProgress: { status: "RUNNING", progress: 0.75, step: "resize" } });
    await sql(`update job set status = 'done', progress = 1, finished_at = now() where id = $1`, [RUNNING_JOB]);
    assert.deepEqual(await listener.next(), { jobProgress: { status: "DONE", progress: 1, step: "resize" } });
    await listener.ended();
  });

  it("reads a change once for all who follow the same job", async () => {
    const followers = 40;
    const query = `subscription { jobProgress(id: ${RUNNING_JOB}) { progress } }`;
    const first = listen(world.plain, query);
    const all = [first, ...Array.from({ length: followers - 1 }, () => first.also(query))];
    for (const listener of all) await listener.next();
    const statements = await countStatements(async () => {
      await sql(`update job set progress = 0.75 where id = $1`, [RUNNING_JOB]);
      for (const listener of all) assert.deepEqual(await listener.next(), { jobProgress: { progress: 0.75 } });
    });
    // The change, its reading, and what is noted of requests and tokens meanwhile.
    assert.ok(statements < followers / 2, `${statements} statements`);
  });

  it("ends with the job although its status was not asked for", async () => {
    const listener = listen(world.plain, `subscription { jobProgress(id: ${RUNNING_JOB}) { id } }`);
    await listener.next();
    await sql(`update job set status = 'failed', error = 'no', finished_at = now() where id = $1`, [RUNNING_JOB]);
    assert.deepEqual(await listener.next(), { jobProgress: { id: RUNNING_JOB } });
    await listener.ended();
  });

  it("tells the end of a job that has ended already", async () => {
    await sql(`update job set status = 'done', finished_at = now() where id = $1`, [RUNNING_JOB]);
    const listener = listen(world.plain, `subscription { jobProgress(id: ${RUNNING_JOB}) { status } }`);
    assert.deepEqual(await listener.next(), { jobProgress: { status: "DONE" } });
    await listener.ended();
  });

  const refused: [string, keyof World, string, string][] = [
    ["a job that is not there", "plain", "subscription { jobProgress(id: 99) { id } }", "NOT_FOUND"],
    ["a job of another host", "scoped", "subscription { jobProgress(id: 2) { id } }", "NOT_FOUND"],
    ["a job of somebody else", "customer", "subscription { jobProgress(id: 2) { id } }", "NOT_FOUND"],
    ["guests of a host out of scope", "scoped", "subscription { guestChanged(hostId: 2) { id } }", "FORBIDDEN"],
    ["guests of a host that is not there", "plain", "subscription { guestChanged(hostId: 99) { id } }", "NOT_FOUND"],
    ["news for somebody who manages nothing", "plain", "subscription { changes { kind } }", "FORBIDDEN"],
    ["a document that does not fit", "plain", "subscription { nonsense }", "VALIDATION_FAILED"],
  ];
  for (const [name, who, query, code] of refused) {
    it(`refuses ${name} as ${code}`, async () => {
      const error = await listen(world[who], query).refused();
      assert.equal(error.extensions.code, code);
    });
  }

  it("tells of guests that changed, once for changes in quick succession", async () => {
    const listener = listen(world.plain, "subscription { guestChanged { vmid hostId status } }");
    await service.listeners("guest", 1);
    await sql(`update guest set status = 'paused' where host_id = 2 and vmid = 100`);
    assert.deepEqual(await listener.next(), { guestChanged: { vmid: 100, hostId: 2, status: "PAUSED" } });
  });

  it("tells each only what they may see", async () => {
    const scoped = listen(world.scoped, "subscription { guestChanged { vmid hostId } }");
    const customer = listen(world.customer, "subscription { guestChanged { vmid ownerId } }");
    const ofHost = listen(world.plain, "subscription { guestChanged(hostId: 1) { vmid } }");
    await service.listeners("guest", 3);
    await sql(`update guest set status = 'paused' where host_id = 2 and vmid = 100`);
    await sql(`update guest set status = 'paused' where host_id = 1 and vmid = 101`);
    await sql(`update guest set status = 'paused' where host_id = 1 and vmid = 103`);
    assert.deepEqual(await scoped.next(), { guestChanged: { vmid: 101, hostId: 1 } });
    assert.deepEqual(await ofHost.next(), { guestChanged: { vmid: 101 } });
    assert.deepEqual(await customer.next(), { guestChanged: { vmid: 103, ownerId: CUSTOMER_ID } });
  });

  it("tells of all guests of a host when very many changed at once", async () => {
    await sql(
      `insert into guest (host_id, node_id, type, vmid) select 1, 1, 'qemu', n from generate_series(1000, 1299) as n`,
    );
    const listener = listen(world.plain, "subscription { guestChanged(hostId: 1) { vmid } }");
    await service.listeners("guest", 1);
    await sql(`update guest set status = 'paused' where host_id = 1 and vmid >= 1000`);
    const vmids = new Set<unknown>();
    while (vmids.size < 300) {
      const { guestChanged } = await listener.next();
      if (typeof guestChanged === "object" && guestChanged !== null && "vmid" in guestChanged) {
        if (Number(guestChanged.vmid) >= 1000) vmids.add(guestChanged.vmid);
      }
    }
  });

  it("tells which kinds of records changed", async () => {
    const listener = listen(world.admin, "subscription { changes { kind } }");
    await service.listeners("hostSeen", 1);
    await sql(`update guest set status = 'paused' where host_id = 2 and vmid = 100`);
    assert.equal(await nextKind(listener), "GUEST");
    await sql(`update host set last_sync_at = now() where id = 1`);
    assert.equal(await nextKind(listener), "HOST");
    await sql(`update job set progress = 0.75 where id = $1`, [RUNNING_JOB]);
    assert.equal(await nextKind(listener), "JOB");
    await sql(`update plan set active = false where id = 1`);
    assert.equal(await nextKind(listener), "PLAN");
    await sql(`update setting set max_suggestions = 3`);
    assert.equal(await nextKind(listener), "SETTINGS");
    await sql(`delete from ssh_key`);
    assert.equal(await nextKind(listener), "USER");
  });

  it("tells a token of bounded scope nothing of other hosts' templates and addresses", async () => {
    const token = await storeToken(service.services.pool, { name: "one", permissions: ["hosts.manage"], scope: [2] });
    const listener = listen(token, "subscription { changes { kind } }");
    await service.listeners("hostSeen", 1);
    await sql(`update os_template set name = 'Debian 13' where host_id = 1`);
    await sql(`delete from ip_address`);
    await sql(`update host set last_sync_at = now() where id = 1`);
    await sql(`update ct_template set active = false`);
    assert.equal(await nextKind(listener), "TEMPLATE");
    await sql(`update host set last_sync_at = now() where id = 2`);
    assert.equal(await nextKind(listener), "HOST");
  });

  it("tells of requests of programs", async () => {
    const listener = listen(world.admin, "subscription { changes { kind } }");
    await service.listeners("request", 1);
    await fetch(`${service.origin}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${world.plain}` },
      body: JSON.stringify({ query: "{ viewer { hostIds } }" }),
    });
    assert.equal(await nextKind(listener, ["TOKEN"]), "REQUEST");
  });

  it("tells that everything may have changed while the announcements were lost", async () => {
    const listener = listen(world.admin, "subscription { changes { kind } }");
    await service.listeners("hostSeen", 1);
    await sql(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'drover events'
      and datname = current_database()`);
    const kinds = new Set<unknown>();
    while (kinds.size < 12) {
      kinds.add(await nextKind(listener, []));
    }
    const inventory = ["GUEST", "HOST", "JOB", "MIGRATION", "RUN"];
    const catalogue = ["USER", "PLAN", "TEMPLATE", "ADDRESS", "TOKEN", "SETTINGS", "REQUEST"];
    assert.deepEqual([...kinds], [...inventory, ...catalogue]);
  });

  it("ends connections of a revoked token with 4403, and no others", async () => {
    const token = await storeToken(service.services.pool, { name: "brief" });
    const brief = listen(token, "subscription { guestChanged { vmid } }");
    const other = listen(world.plain, "subscription { guestChanged { vmid } }");
    await service.listeners("guest", 2);
    await sql(`update api_token set revoked_at = now() where name = 'brief'`);
    assert.equal(await brief.closed(), 4403);
    await sql(`update guest set status = 'paused' where host_id = 2 and vmid = 100`);
    assert.deepEqual(await other.next(), { guestChanged: { vmid: 100 } });
  });

  it("ends connections of the tokens that a revoked token made", async () => {
    const made = await ask(service, {
      query: 'mutation { createApiToken(input: { name: "child" }) { value } }',
      token: world.manager,
    });
    const { createApiToken: child } = z.object({ createApiToken: z.object({ value: z.string() }) }).parse(made.data);
    const listener = listen(child.value, "subscription { guestChanged { vmid } }");
    await service.listeners("guest", 1);
    await ask(service, { query: "mutation { revokeApiToken(id: 1) { status } }", token: world.admin });
    assert.equal(await listener.closed(), 4403);
  });

  it("asks clients to connect again when their token's scope changed", async () => {
    const listener = listen(world.scoped, "subscription { guestChanged { vmid } }");
    await service.listeners("guest", 1);
    await sql(`update api_token set connection_scope = '{2}' where name = 'scoped'`);
    assert.equal(await listener.closed(), 1012);
  });

  it("tells what changed while the announcements were lost", async () => {
    const job = listen(world.plain, `subscription { jobProgress(id: ${RUNNING_JOB}) { progress } }`);
    const guests = listen(world.scoped, "subscription { guestChanged(hostId: 1) { vmid status } }");
    await job.next();
    await service.listeners("guest", 1);
    await sql(`alter table job disable trigger user`);
    await sql(`alter table guest disable trigger user`);
    await sql(`update job set progress = 0.75 where id = $1`, [RUNNING_JOB]);
    await sql(`update guest set status = 'paused' where host_id = 1 and vmid = 100`);
    await sql(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'drover events'
      and datname = current_database()`);
    assert.deepEqual(await job.next(), { jobProgress: { progress: 0.75 } });
    assert.deepEqual(await guests.next(), { guestChanged: { vmid: 100, status: "PAUSED" } });
  });

  it("stops listening when the subscriber goes", async () => {
    const listener = listen(world.plain, "subscription { guestChanged { vmid } }");
    await service.listeners("guest", 1);
    listener.dispose();
    await service.listeners("guest", 0);
  });

  it("is in the request log: connections, operations, and what was refused of both", async () => {
    const listener = listen(world.plain, "subscription { guestChanged { vmid } }");
    await service.listeners("guest", 1);
    await listener.also("{ nonsense }").refused();
    const socket = new WebSocket(`${service.origin.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: "Bearer drv_nonsense" } }));
    await once(socket, "close");
    await service.requestLog.flush();
    const { rows } = await sql(
      `select method, path, status::int, token_name as token from request_log order by status`,
    );
    assert.deepEqual(rows, [
      { method: "GET", path: "/graphql", status: 101, token: "plain" },
      { method: "WS", path: "/graphql", status: 200, token: "plain" },
      { method: "WS", path: "/graphql", status: 400, token: "plain" },
      { method: "GET", path: "/graphql", status: 401, token: null },
    ]);
  });

  it("says goodbye to everybody when the service ends", async () => {
    const listener = listen(world.plain, "subscription { guestChanged { vmid } }");
    await service.listeners("guest", 1);
    const closed = listener.closed();
    await service.close();
    assert.equal(await closed, 1001);
    service = await startGraphql();
  });

  it("refuses an operation beyond the token's rate limit and keeps the connection", async () => {
    // One for the connection, one for the first operation.
    const token = await storeToken(service.services.pool, { name: "two", rateLimit: 2 });
    const listener = listen(token, "subscription { guestChanged { vmid } }");
    await service.listeners("guest", 1);
    const error = await listener.also("{ __typename }").refused();
    assert.equal(error.extensions.code, "RATE_LIMITED");
    await sql(`update guest set status = 'paused' where host_id = 2 and vmid = 100`);
    assert.deepEqual(await listener.next(), { guestChanged: { vmid: 100 } });
  });
});

/** @returns the next kind; that a token was used, and for what, is told a little later, whatever else happens. */
async function nextKind(listener: Listener, ofTokens: readonly unknown[] = ["TOKEN", "REQUEST"]): Promise<unknown> {
  for (;;) {
    const { changes } = await listener.next();
    if (typeof changes !== "object" || changes === null || !("kind" in changes)) throw new Error("No change was told");
    if (!ofTokens.includes(changes.kind)) return changes.kind;
  }
}
