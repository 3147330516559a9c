// Creations that come at once to two processes of the service: what one has reserved, the other leaves alone.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { assertPromises, createAtOnce, furnish, storeCrowdToken } from "../../bench/creations/crowd.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { runProgram, type RunningProgram } from "../support/programs.js";

const PROCESSES = 2;

describe("rest/parallelCreation", function () {
  this.timeout(300_000);
  let database: TestDatabase;
  let token: string;
  let urls: readonly string[];
  const processes: RunningProgram[] = [];

  before(async () => {
    database = await createTestDatabase();
    token = await storeCrowdToken(database.pool);
    const environment = {
      DATABASE_URL: database.url,
      DROVER_SECRET: randomBytes(32).toString("base64"),
      DROVER_ROLE: "api",
      DROVER_ADMIN_PASSWORD: "correct horse battery",
      PORT: "0",
      LOG_LEVEL: "info",
    };
    for (let number = 1; number <= PROCESSES; number++) processes.push(runProgram("app/main.js", [], environment));
    urls = await Promise.all(processes.map(urlOf));
  });
  after(async () => {
    await Promise.all(processes.map((one) => one.end()));
    await database.close();
  });

  for (const { what, place } of [
    { what: "gives each of 50 a VMID and an address of its own", place: { guestsANode: 25 } },
    { what: "fills no node beyond its room, and answers 409 to exactly the rest", place: { guestsANode: 15 } },
  ]) {
    it(what, async () => {
      await furnish(database.pool, place);
      const crowd = { urls, token, count: 50 };
      await assertPromises(database.pool, place, crowd, await createAtOnce(crowd));
    });
  }
});

async function urlOf(program: RunningProgram): Promise<string> {
  await program.printed('"msg":"ready"');
  const [, url] = /"url":"(http:[^"]+)","msg":"ready"/.exec(program.output()) ?? [];
  return url ?? assert.fail(program.output());
}
