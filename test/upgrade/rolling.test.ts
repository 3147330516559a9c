// Two releases at work on one database: each takes only what it can read, and the statements of the last release go on working.
import assert from "node:assert/strict";
import { executorFor } from "../jobs/killing.js";
import { claimDue } from "../../jobs/engine/lease.js";
import { versionOf } from "../../src/actions/stored/kinds.js";
import { JobKind } from "../../src/core/enums.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { readCapture } from "./stage.js";

/** As the last release claims; it names nothing that it reads. */
const EARLIER_CLAIM = `
  update job set
    status = 'running', lease_epoch = lease_epoch + 1, lease_until = now() + $2 * interval '1 second', worker = $1,
    attempts = attempts + 1, started_at = coalesce(started_at, service_now())
  where id in (select id from job where kind in ('guest_create', 'guest_reinstall', 'guest_delete', 'safety_copy_delete')
    and (status = 'queued' or (status = 'running' and lease_until < now())) order by id limit $3 for update skip locked)
  returning id`;

describe("two releases on one database", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
  });
  beforeEach(() => services.pool.query(`truncate job restart identity cascade`));
  after(() => services.close());

  const insert = async (version: number | null): Promise<void> => {
    const named = version === null ? "" : ", version";
    await services.pool.query(
      `insert into job (kind, input${named}) values ('guest_delete', '{}'${version === null ? "" : `, ${version}`})`,
    );
  };
  const earlier = async (): Promise<number[]> => {
    const { rows } = await services.pool.query<{ id: number }>(EARLIER_CLAIM, ["earlier", 30, 10]);
    return rows.map(({ id }) => id).toSorted((one, other) => one - other);
  };
  const present = async (): Promise<number[]> => {
    const jobs = await claimDue(executorFor(services, "present"), { kinds: [JobKind.GUEST_DELETE], most: 10 });
    return jobs.map(({ id }) => id);
  };
  const current = versionOf(JobKind.GUEST_DELETE);

  it("leave to the later one what only it has written, and the earlier one takes the rest", async () => {
    for (const version of [current, null, current, null]) await insert(version);
    assert.deepEqual(await earlier(), [2, 4]);
    assert.deepEqual(await present(), [1, 3]);
  });

  it("both take what the earlier one has made", async () => {
    await insert(null);
    assert.deepEqual(await present(), [1]);
  });

  it("leave a job to the later one once it was at work on it, also when that one has died", async () => {
    await insert(current);
    await present();
    await services.pool.query(`update job set lease_until = now() - interval '1 second'`);
    assert.deepEqual(await earlier(), []);
    assert.deepEqual(await present(), [1]);
  });

  it("leave to a still later release what this one cannot read", async () => {
    await insert(current + 1);
    assert.deepEqual(await present(), []);
    const { rows } = await services.pool.query(`select status, worker, reads from job`);
    assert.deepEqual(rows, [{ status: "queued", worker: null, reads: null }]);
  });

  it("has every statement that the last release was seen to send understood on the schema of this one", async () => {
    const { statements } = await readCapture("00079ac.json.gz");
    assert.ok(statements.length > 100, `${statements.length} statements`);
    const client = await services.pool.connect();
    const faults: string[] = [];
    try {
      for (const text of statements) {
        await client.query(`prepare seen as ${text}`).then(
          () => client.query(`deallocate seen`),
          (error: unknown) => faults.push(`${String(error)}: ${text.slice(0, 200)}`),
        );
      }
    } finally {
      client.release();
    }
    assert.deepEqual(faults, []);
  });
});
