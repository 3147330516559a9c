// Callers without a token that want more than their share: requests that never end, and requests without end.
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { hashPassword } from "../../src/access/password.js";
import { fixedClock } from "../support/services.js";
import { ask, startGraphql, type GraphqlService } from "./support/service.js";
import { fillWorld, type World } from "./support/world.js";

const SIGN_IN = 'mutation { login(username: "ada", password: "right") { token } }';

describe("graphql: callers that are not known", () => {
  let service: GraphqlService;
  let world: World;
  const sockets: Socket[] = [];
  before(async () => {
    service = await startGraphql({ clock: fixedClock(new Date()) });
    world = await fillWorld(service.services.pool);
    await service.services.pool.query("update user_account set username = 'ada', password_hash = $1 where id = 1", [
      await hashPassword("right"),
    ]);
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await service.close();
  });

  /** Sends the head of a request and the beginning of its body. */
  const begin = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(service.origin).port), "127.0.0.1", () => {
        const head = "Host: drover\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n";
        socket.write(`POST /graphql HTTP/1.1\r\n${head}\r\n{"query":`, () => resolve());
      });
      socket.on("error", reject);
      sockets.push(socket);
    });

  it("hold no slot with requests that are not complete: GraphQL and sign-in go on", async () => {
    await Promise.all(Array.from({ length: 2_100 }, begin));
    const asked = await ask(service, { query: "{ hosts { meta { total } } }", token: world.plain });
    assert.equal(asked.status, 200);
    const { data } = await ask(service, { query: SIGN_IN });
    assert.ok(data?.["login"]);
  });

  it("fill no log: what is beyond their sample is counted", async () => {
    const token = `drv_${"x".repeat(43)}`;
    const headers = { "X-Forwarded-For": "198.51.100.1" };
    for (let burst = 0; burst < 10; burst++) {
      const answers = Array.from({ length: 20 }, () => ask(service, { query: "{ __typename }", token, headers }));
      assert.ok((await Promise.all(answers)).every(({ status }) => status === 401));
    }
    await service.requestLog.flush();
    const { rowCount } = await service.services.pool.query("select from request_log where source_ip = '198.51.100.1'");
    assert.equal(rowCount, 30);
  });
});
