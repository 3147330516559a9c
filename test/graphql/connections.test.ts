// Connections over WebSocket: who comes in, what is in the request log, and when they end.
import assert from "node:assert/strict";
import { once } from "node:events";
import { WebSocket } from "ws";
import { z } from "zod";
import { fixedClock } from "../support/services.js";
import { storeToken } from "../support/tokens.js";
import { LiveStage } from "./support/liveStage.js";
import { ask } from "./support/service.js";

describe("graphql: connections", () => {
  let stage: LiveStage;
  beforeEach(async () => {
    // The clock stands, so that no limit of a minute begins again in the middle of a test.
    stage = await LiveStage.open(undefined, { clock: fixedClock(new Date()) });
  });
  afterEach(() => stage.close());

  for (const [name, payload] of [
    ["a bad token", { authorization: `Bearer drv_${"x".repeat(43)}` }],
    ["no token", undefined],
  ] as const) {
    it(`closes a connection with ${name} as forbidden`, async () => {
      const socket = new WebSocket(`${stage.service.origin.replace("http", "ws")}/graphql`, "graphql-transport-ws");
      await once(socket, "open");
      socket.send(JSON.stringify({ type: "connection_init", payload }));
      const [code] = await once(socket, "close");
      assert.equal(code, 4403);
    });
  }

  it("ends connections of a revoked token with 4403, and no others", async () => {
    const { value: token } = await storeToken(stage.service.services.pool, { name: "brief" });
    const brief = stage.listen(token, "subscription { guestChanged { vmid } }");
    const other = stage.listen(stage.world.plain, "subscription { guestChanged { vmid } }");
    await stage.service.followers(2);
    await stage.sql(`update api_token set revoked_at = now() where name = 'brief'`);
    assert.equal(await brief.closed(), 4403);
    await stage.sql(`update guest set status = 'paused' where host_id = 2 and vmid = 100`);
    assert.deepEqual(await other.next(), { guestChanged: { vmid: 100 } });
  });

  for (const [what, statement] of [
    ["of a session that is ended", "delete from session where user_id = 3"],
    ["of a user that is disabled", "update user_account set enabled = false where id = 3"],
  ] as const) {
    it(`ends connections ${what}`, async () => {
      const session = stage.listen(stage.world.customer, "subscription { guestChanged { vmid } }");
      await stage.service.followers(1);
      await stage.sql(statement);
      assert.equal(await session.closed(), 4403);
    });
  }

  it("ends connections of the tokens that a revoked token made", async () => {
    const made = await ask(stage.service, {
      query: 'mutation { createApiToken(input: { name: "child" }) { value } }',
      token: stage.world.manager,
    });
    const { createApiToken: child } = z.object({ createApiToken: z.object({ value: z.string() }) }).parse(made.data);
    const listener = stage.listen(child.value, "subscription { guestChanged { vmid } }");
    await stage.service.followers(1);
    await ask(stage.service, { query: "mutation { revokeApiToken(id: 1) { status } }", token: stage.world.admin });
    assert.equal(await listener.closed(), 4403);
  });

  it("asks clients to connect again when their token's scope changed", async () => {
    const listener = stage.listen(stage.world.scoped, "subscription { guestChanged { vmid } }");
    await stage.service.followers(1);
    await stage.sql(`update api_token set connection_scope = '{2}' where name = 'scoped'`);
    assert.equal(await listener.closed(), 1012);
  });

  it("stops listening when the subscriber goes", async () => {
    const listener = stage.listen(stage.world.plain, "subscription { guestChanged { vmid } }");
    await stage.service.followers(1);
    listener.dispose();
    await stage.service.followers(0);
  });

  it("is in the request log: connections, operations, and what was refused of both", async () => {
    const listener = stage.listen(stage.world.plain, "subscription { guestChanged { vmid } }");
    await stage.service.followers(1);
    await listener.also("{ nonsense }").refused();
    const socket = new WebSocket(`${stage.service.origin.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: "Bearer drv_nonsense" } }));
    await once(socket, "close");
    await stage.service.requestLog.flush();
    const { rows } = await stage.sql(
      `select method, path, status::int, token_name as token from request_log order by status`,
    );
    assert.deepEqual(rows, [
      { method: "GET", path: "/graphql", status: 101, token: "plain" },
      { method: "WS", path: "/graphql", status: 200, token: "plain" },
      { method: "WS", path: "/graphql", status: 400, token: "plain" },
      { method: "GET", path: "/graphql", status: 401, token: null },
    ]);
  });

  it("closes every connection as going away when the service ends", async () => {
    const listener = stage.listen(stage.world.plain, "subscription { guestChanged { vmid } }");
    await stage.service.followers(1);
    const closed = listener.closed();
    await stage.service.close();
    assert.equal(await closed, 1001);
    listener.dispose();
    stage = await LiveStage.open();
  });

  it("refuses an operation beyond the token's rate limit and keeps the connection", async () => {
    // One for the connection, one for the first operation.
    const { value: token } = await storeToken(stage.service.services.pool, { name: "two", rate_limit: 2 });
    const listener = stage.listen(token, "subscription { guestChanged { vmid } }");
    await stage.service.followers(1);
    const error = await listener.also("{ __typename }").refused();
    assert.equal(error.extensions.code, "RATE_LIMITED");
    await stage.sql(`update guest set status = 'paused' where host_id = 2 and vmid = 100`);
    assert.deepEqual(await listener.next(), { guestChanged: { vmid: 100 } });
  });
});
