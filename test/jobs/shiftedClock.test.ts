// A service whose clock is forty days ahead: what is due by then goes, what has just ended stays, and all moments are of one clock.
import assert from "node:assert/strict";
import { jobStore } from "../../src/store/jobStore.js";
import type { Pool } from "pg";
import { runAllTasks } from "../../jobs/periodic/tasks.js";
import { Journal } from "../../jobs/engine/journal.js";
import { sweep } from "../../jobs/periodic/sweep.js";
import * as agentJobs from "../../src/store/agentJob.js";
import { loadSnapshot } from "../../src/placement/placementSnapshot.js";
import { systemClock } from "../../src/concurrency/clock.js";
import { openPool } from "../../src/db/pool.js";
import { inTransaction } from "../../src/db/transaction.js";
import { PATIENCE } from "../support/database.js";
import { silentLog } from "../support/log.js";
import { plant, planted } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";

const DAY_SECONDS = 86_400;

/** Columns whose default is the database's own present: coordination among processes, compared with nothing else. */
const OWN = ["agenda_jobs", "resource_lock", "schedule", "worker"];

const endedJob = async (pool: Pool, vmid: number): Promise<number> => {
  const { id } = await planted(pool, "job", { status: "running", vmid, lease_epoch: 1 });
  await plant(pool, { capacity_reservation: [{ job_id: id, memory_mb: 64 }] });
  await new Journal(jobStore(pool), { id, leaseEpoch: 1, steps: [] }).end(null);
  return id;
};

describe("a service whose clock is shifted", function () {
  this.timeout(300_000);
  let services: TestServices;
  /** As the service was before its clock was shifted. */
  let earlier: Pool;
  beforeEach(async () => {
    services = await createTestServices({ clock: systemClock(40 * DAY_SECONDS) });
    earlier = openPool({ url: services.database.url, purpose: "test", size: 1, log: silentLog, patience: PATIENCE });
    await plant(earlier, { host: [{}], node: [{ status: "online" }], ip_zone: [{}] });
    await earlier.query(`update setting set address_history_retention_days = 30`);
  });
  afterEach(async () => {
    await earlier.end();
    await services.close();
  });

  const column = async <Value>(sql: string): Promise<Value[]> =>
    (await services.pool.query<{ value: Value }>(sql)).rows.map(({ value }) => value);

  it("forgets what ended before, and nothing that has just ended", async () => {
    for (const [pool, address] of [
      [earlier, "10.0.0.3"],
      [services.pool, "10.0.0.4"],
    ] as const) {
      await plant(pool, { ip_address: [{ address }] });
      await pool.query(`delete from ip_address where address = $1`, [address]);
      await inTransaction(pool, (client) => agentJobs.orderForwards(client, 1));
      await pool.query(
        `update agent_job set status = 'done', finished_at = service_now(), payload = json_build_object('of', $1::text)
         where status = 'waiting'`,
        [address],
      );
    }
    await inTransaction(services.pool, (client) => agentJobs.orderForwards(client, 1));
    await runAllTasks(services);
    const held = await column("select host(address) as value from ip_address_holding where until is not null");
    assert.deepEqual(held, ["10.0.0.4"]);
    const asked = await column("select payload->>'of' as value from agent_job order by created_at");
    assert.deepEqual(asked, ["10.0.0.4", null]);
  });

  it("keeps room reserved until a sync after the job's end", async () => {
    await services.pool.query(`update host set last_sync_at = $1`, [services.clock.now()]);
    const jobId = await endedJob(services.pool, 100);
    const reserved = async () =>
      (await loadSnapshot(services.pool, services.clock, { scope: null })).snapshot.nodes.map(
        ({ memoryReservedMb }) => memoryReservedMb,
      );
    assert.deepEqual(await reserved(), [64]);
    await sweep(services);
    assert.deepEqual(await column("select job_id as value from capacity_reservation"), [jobId]);
    await services.pool.query(`update host set last_sync_at = $1`, [services.clock.now()]);
    assert.deepEqual(await reserved(), [0]);
  });

  it("has no moment by the database's own clock but those of leases, turns and holds", async () => {
    const own = await column(
      `select distinct table_name as value from information_schema.columns
       where table_schema = 'public' and column_default = 'now()' order by 1`,
    );
    assert.deepEqual(own, OWN);
    const [ahead] = await column<number>(`select round(extract(epoch from service_now() - now()))::int as value`);
    assert.equal(ahead, 40 * DAY_SECONDS);
  });
});
