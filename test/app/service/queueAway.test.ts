// A service whose job queue on MongoDB goes away: it stays ready, and says that it is degraded and why.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readConfig } from "../../../src/config/config.js";
import { startService, type Service } from "../../../app/service.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { eventually } from "../../support/eventually.js";
import { silentLog } from "../../support/log.js";
import { MongoStandIn } from "../../support/mongo/standIn.js";

describe("a service whose job queue on MongoDB goes away", () => {
  let database: TestDatabase;
  let mongo: MongoStandIn;
  let service: Service;
  before(async () => {
    database = await createTestDatabase();
    mongo = await MongoStandIn.start();
    const environment = {
      PORT: "0",
      DATABASE_URL: database.url,
      DROVER_SECRET: randomBytes(32).toString("base64"),
      MONGODB_URI: `mongodb://127.0.0.1:${mongo.port}/queue`,
    };
    service = await startService(readConfig(environment), silentLog);
  });
  after(async () => {
    await service.stop();
    await mongo.close();
    await database.close();
  });

  const readiness = async () => {
    const answer = await fetch(`${service.url}/readyz`);
    return { code: answer.status, body: JSON.parse(await answer.text()) };
  };

  it("is ready and degraded until the queue is back", async () => {
    assert.equal((await readiness()).body.status, "ready");
    const { port } = mongo;
    await mongo.goAway();
    await eventually(async () => {
      const { code, body } = await readiness();
      assert.equal(code, 200);
      assert.equal(body.status, "degraded");
      assert.equal(body.checks.database, "ok");
      assert.match(body.checks.queue, /^(no answer within|connect|connection|Server selection)/);
    });
    assert.match(await (await fetch(`${service.url}/metrics`)).text(), /^drover_queue_up 0$/m);
    await mongo.listen(port);
    await eventually(async () => assert.equal((await readiness()).body.status, "ready"));
  });
});
