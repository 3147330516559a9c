// `drover drain`: what it prints, and its exit codes.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { runHere, type Ran } from "./run.js";

describe("cli/drain", function () {
  this.timeout(300_000);
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.close());

  const drover = (...given: string[]): Promise<Ran> =>
    runHere(given, {
      DATABASE_URL: database.url,
      DROVER_SECRET: randomBytes(32).toString("base64"),
      DROVER_ADMIN_PASSWORD: "chosen password",
    });

  it("returns when no job runs; the drain lasts", async () => {
    const { code, output, errors } = await drover("drain");
    assert.deepEqual({ code, errors }, { code: 0, errors: "" });
    assert.match(output, /^No jobs are begun since \S+ \(.+ on .+\), until: drover drain --end\nNo job runs\.\n$/);
    const { rows } = await database.pool.query(`select count(*)::int as drains from drain`);
    assert.deepEqual(rows, [{ drains: 1 }]);
  });

  it("gives up with 1 when jobs still run at the time-out, and names them", async () => {
    await database.pool.query(
      `insert into job (kind, status, node, vmid, step, lease_until, worker)
       values ('guest_create', 'running', 'pve1', 120, 'create', now() + interval '1 hour', 'other')`,
    );
    const { code, output, errors } = await drover("drain", "--timeout", "1");
    assert.equal(code, 1);
    assert.match(output, /Running: guest_create 1 \(guest 120 on pve1, create\)\n$/);
    assert.equal(errors, "drover: after 1 s jobs still run: guest_create 1 (guest 120 on pve1, create)\n");
  });

  it("ends the drain", async () => {
    const { code, output } = await drover("drain", "--end");
    assert.equal(code, 0);
    assert.match(output, /^Workers begin jobs again\. .+ had drained the work\.\n$/);
    assert.equal((await drover("drain", "--end")).output, "Work was not drained.\n");
    assert.equal((await drover("drain", "--timeout", "0")).code, 2);
  });
});
