// The protocols of GraphQL, as strangers try them: messages that only servers send, and the audits of GraphQL over HTTP.
import assert from "node:assert/strict";
import { once } from "node:events";
import { serverAudits } from "graphql-http";
import { pino } from "pino";
import { WebSocket } from "ws";
import { startGraphql, type GraphqlService } from "./support/service.js";
import { fillWorld, type World } from "./support/world.js";

const BAD_REQUEST = 4400;

describe("graphql/protocol", () => {
  let service: GraphqlService;
  let world: World;
  const logged: string[] = [];

  before(async () => {
    const log = pino({ level: "warn" }, { write: (line: string) => void logged.push(line) });
    service = await startGraphql({ log });
    world = await fillWorld(service.services.pool);
  });
  after(() => service.close());

  /** @returns the code and the reason with which a connection ends that sends these messages */
  async function endOf(messages: readonly object[]): Promise<[code: number, reason: string]> {
    const socket = new WebSocket(`${service.origin.replace("http", "ws")}/graphql`, "graphql-transport-ws");
    await once(socket, "open");
    for (const message of messages) socket.send(JSON.stringify(message));
    const [code, reason]: unknown[] = await once(socket, "close");
    return [Number(code), String(reason)];
  }

  for (const message of [
    { type: "connection_ack" },
    { type: "next", id: "1", payload: { data: null } },
    { type: "error", id: "1", payload: [{ message: "no" }] },
  ]) {
    for (const who of ["a stranger", "somebody who was let in"]) {
      it(`ends the connection of ${who} who sends a server's ${message.type} as a bad request, without a fault in the log`, async () => {
        logged.length = 0;
        const init = { type: "connection_init", payload: { authorization: `Bearer ${world.plain}` } };
        const end = await endOf(who === "a stranger" ? [message] : [init, message]);
        assert.deepEqual(end, [BAD_REQUEST, "Invalid message received"]);
        assert.deepEqual(logged, []);
      });
    }
  }

  const audits = serverAudits({
    url: () => `${service.origin}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...Object(init.headers), Authorization: `Bearer ${world.plain}` } }),
  });
  for (const audit of audits) {
    it(`passes the audit ${audit.id}: ${audit.name}`, async () => {
      const result = await audit.fn();
      assert.equal(result.status, "ok", JSON.stringify(result));
    });
  }
});
