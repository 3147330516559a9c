// WebSockets of a process that is late with its work: nobody new comes in, who is in is told what happens and given nothing to do.
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { once } from "node:events";
import { WebSocket } from "ws";
import { LiveStage } from "./support/liveStage.js";

const CHANGES = "subscription { guestChanged { vmid } }";

describe("graphql: WebSockets under too high a pressure", () => {
  const pressure = { isTooHigh: false };
  let stage: LiveStage;
  before(async () => {
    stage = await LiveStage.open(pressure);
  });
  afterEach(() => {
    pressure.isTooHigh = false;
  });
  after(() => stage.close());

  const connection = () =>
    new WebSocket(`${stage.service.origin.replace("http", "ws")}/graphql`, "graphql-transport-ws");

  it("are refused before there is a connection, as requests are, and taken again", async () => {
    pressure.isTooHigh = true;
    const [request, response] = await once(connection(), "unexpected-response");
    const { statusCode, headers }: IncomingMessage = response;
    request.destroy();
    assert.deepEqual([statusCode, headers["retry-after"]], [503, "2"]);
    pressure.isTooHigh = false;
    const socket = connection();
    await once(socket, "open");
    socket.terminate();
  });

  it("go on when they are open: subscriptions are let in, and operations that end are refused", async () => {
    const first = stage.listen(stage.world.manager, CHANGES);
    await stage.service.followers(1);
    pressure.isTooHigh = true;
    for (const operation of ["{ hosts { meta { total } } }", "mutation { revokeApiToken(id: 1) { status } }"]) {
      const { message, extensions } = await first.also(operation).refused();
      assert.match(message, /late with its work/);
      assert.deepEqual([extensions.code, extensions["reason"]], ["UNAVAILABLE", "BUSY"]);
    }
    const second = first.also("subscription { guestChanged { id } }");
    await stage.service.followers(2);
    await stage.sql("update guest set status = 'paused' where host_id = 2 and vmid = 100");
    assert.deepEqual(await first.next(), { guestChanged: { vmid: 100 } });
    assert.deepEqual(Object.keys(await second.next()), ["guestChanged"]);
  });
});
