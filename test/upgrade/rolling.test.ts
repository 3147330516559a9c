// Two releases at work on one database: each takes only what it can read, and the statements of the last release go on working.
import assert from "node:assert/strict";
import { executorFor } from "../jobs/killing.js";
import { claimDue } from "../../jobs/engine/lease.js";
import { versionOf } from "../../src/job/kinds.js";
import { giveUpJob } from "../../src/store/held/end.js";
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

/** As the last release sweeps: it knows of no parked jobs. */
const EARLIER_SWEEP = `
  with unlocked as (
    delete from resource_lock l using job j where j.id = l.job_id and j.finished_at is not null returning 1),
  freed as (delete from vmid_reservation r using job j where j.id = r.job_id and j.finished_at is not null returning 1),
  kept as (
    update ip_address a set job_id = null from job j
    where a.job_id is not null and j.id = a.job_id and j.finished_at is not null and a.guest_id is not null),
  returned as (
    delete from ip_address a where a.guest_id is null
      and not exists (select 1 from job j where j.id = a.job_id and j.finished_at is null) returning 1),
  room as (delete from capacity_reservation r using job j where j.id = r.job_id and j.finished_at is not null returning 1)
  select 1`;

/** Jobs 1 and 2 have failed, and the first is parked; each holds everything. */
const HOLDERS = `
  insert into host (name, hostname, user_name, secret_encrypted) values ('alpha', 'alpha.example', 'root@pam', 'sealed');
  insert into node (host_id, name) values (1, 'pve1');
  insert into guest (host_id, node_id, type, vmid) select 1, 1, 'qemu', 100 + n from generate_series(1, 2) n;
  insert into ip_zone (host_id, name, cidr, range_start, range_end, bridge, total, next_candidate)
    values (1, 'z', '10.0.0.0/24', '10.0.0.2', '10.0.0.9', 'vmbr0', 8, '10.0.0.9');
  insert into job (kind, status, error, host_id, finished_at, parked_at)
    select 'guest_create', 'failed', 'why', 1, now(), case when n = 1 then now() end from generate_series(1, 2) n;
  insert into resource_lock (key, job_id) select 'guest:1:' || 200 + id, id from job;
  insert into vmid_reservation (host_id, vmid, job_id) select 1, 200 + id, id from job;
  insert into capacity_reservation (job_id, node_id, storage, memory_mb, disk_bytes) select id, 1, 'local', 1, 1 from job;
  insert into ip_address (zone_id, address, job_id, guest_id)
    select 1, '10.0.0.1'::inet + id, id, null from job union all select 1, '10.0.0.4'::inet + id, id, id from job`;

const HOLDINGS = `
  select array(select job_id from resource_lock) as locks, array(select job_id from vmid_reservation) as vmids,
    array(select job_id from capacity_reservation) as capacity,
    array(select job_id from ip_address where job_id is not null) as addresses`;

const ofJobs = (...ids: number[]) => ({
  locks: ids,
  vmids: ids,
  capacity: ids,
  addresses: ids.flatMap((id) => [id, id]),
});

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
  const holdings = async (): Promise<unknown> => (await services.pool.query(HOLDINGS)).rows[0];
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

  describe("with a parked job", () => {
    beforeEach(async () => {
      await services.pool.query(`truncate host, ip_address_holding restart identity cascade`);
      await services.pool.query(HOLDERS);
    });
    after(() => services.pool.query(`truncate host, ip_address_holding restart identity cascade`));

    it("keep what it holds when the earlier one sweeps", async () => {
      await services.pool.query(EARLIER_SWEEP);
      assert.deepEqual(await holdings(), ofJobs(1));
    });

    it("release it when it is given up", async () => {
      await giveUpJob(services.pool, 1, "given up");
      assert.deepEqual(await holdings(), ofJobs(2));
    });

    it("release it with its host, which may be removed", async () => {
      await services.pool.query(`delete from ip_zone; delete from host`);
      assert.deepEqual(await holdings(), { ...ofJobs(), locks: [1, 2] });
      await services.pool.query(`delete from job where id = 1`);
      assert.deepEqual(await holdings(), { ...ofJobs(), locks: [2] });
    });
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
