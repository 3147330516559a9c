// What is still held for jobs that ended is given back, and nothing else.
import assert from "node:assert/strict";
import { sweep, sweepUntil } from "../../../jobs/engine/sweep.js";
import { eventually } from "../../support/eventually.js";
import { createTestServices, type TestServices } from "../../support/services.js";

const FURNITURE = `
  insert into host (name, hostname, user_name, secret_encrypted, last_sync_at) values ('alpha', 'alpha.example', 'root@pam', 'sealed', now());
  insert into node (host_id, name) values (1, 'pve1');
  insert into guest (host_id, node_id, type, vmid) values (1, 1, 'qemu', 100);
  insert into guest (host_id, node_id, type, vmid, gone_at) values (1, 1, 'qemu', 101, now() - interval '6 minutes'), (1, 1, 'qemu', 102, now());
  insert into port_forward (node_id, guest_id, protocol, public_port, guest_port, guest_address)
    select 1, id, 'tcp', 10000 + id, 80, '10.0.0.4' from guest;
  insert into ip_zone (host_id, name, cidr, range_start, range_end, bridge, total, next_candidate)
    values (1, 'z', '10.0.0.0/24', '10.0.0.2', '10.0.0.9', 'vmbr0', 8, '10.0.0.9');
  insert into job (kind, status, host_id, error, finished_at, started_at) values
    ('guest_create', 'queued', 1, null, null, null), ('guest_create', 'running', 1, null, null, now()),
    ('guest_create', 'done', 1, null, now() - interval '1 hour', now()), ('guest_create', 'failed', 1, 'why', now() - interval '1 hour', now()),
    ('guest_create', 'done', 1, null, now() + interval '1 hour', now());
  insert into resource_lock (key, job_id) select 'guest:1:' || 200 + id, id from job;
  insert into resource_lock (key, until) values ('guest:1:300', now() - interval '1 second'), ('guest:1:301', now() + interval '1 hour');
  insert into vmid_reservation (host_id, vmid, job_id) select 1, 200 + id, id from job;
  insert into capacity_reservation (job_id, node_id, storage, memory_mb, disk_bytes) select id, 1, 'local', 1, 1 from job;
  insert into ip_address (zone_id, address, job_id, guest_id) values (1, '10.0.0.2', 1, null), (1, '10.0.0.3', 2, null),
    (1, '10.0.0.4', 3, 1), (1, '10.0.0.5', 4, null), (1, '10.0.0.6', null, null), (1, '10.0.0.7', null, 1);`;

describe("jobs/engine/sweep", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
    await services.pool.query(FURNITURE);
  });
  after(() => services.close());

  const jobsIn = async (table: string): Promise<number[]> => {
    const { rows } = await services.pool.query<{ job_id: number }>(`select job_id from ${table} order by job_id`);
    return rows.map(({ job_id }) => job_id);
  };

  it("gives back what ended jobs hold, and what nobody has", async () => {
    assert.deepEqual(await sweep(services), {
      locks: 3,
      vmids: 3,
      addresses: 2,
      capacitySynced: 2,
      closedGuests: 1,
      forwardsRepeated: 0,
    });
    assert.deepEqual(await jobsIn("resource_lock where job_id is not null"), [1, 2]);
    const { rows: held } = await services.pool.query("select key from resource_lock where job_id is null");
    assert.deepEqual(held, [{ key: "guest:1:301" }]);
    assert.deepEqual(await jobsIn("vmid_reservation"), [1, 2]);
    const { rows } = await services.pool.query(
      `select host(address) as address, job_id, guest_id from ip_address order by address`,
    );
    assert.deepEqual(rows, [
      { address: "10.0.0.2", job_id: 1, guest_id: null },
      { address: "10.0.0.3", job_id: 2, guest_id: null },
      { address: "10.0.0.4", job_id: null, guest_id: 1 },
      { address: "10.0.0.7", job_id: null, guest_id: 1 },
    ]);
  });

  it("counts the zone's addresses anew, and hands out the lowest that came back", async () => {
    const { rows } = await services.pool.query(
      `select used::int, (select host(min(address)) from ip_zone_returned) as next from ip_zone`,
    );
    assert.deepEqual(rows, [{ used: 4, next: "10.0.0.5" }]);
  });

  it("closes the public ports of guests that are gone for good, and tells the node's agent what is left", async () => {
    const { rows } = await services.pool.query(
      `select array(select guest_id from port_forward order by 1) as kept,
         (select json_agg(f -> 'public_port') from agent_job o, json_array_elements((o.payload -> 'forwards')::json) f
          where o.kind = 'apply_port_forwards') as told`,
    );
    assert.deepEqual(rows, [{ kept: [1, 3], told: [10_001, 10_003] }]);
  });

  it("has an agent apply again what it could not apply, a minute later", async () => {
    const fail = (ago: string): Promise<unknown> =>
      services.pool.query(
        `update agent_job set status = 'failed', error = 'nft is busy', finished_at = now() - $1::interval`,
        [ago],
      );
    const repeated = [];
    for (const ago of ["1 second", "61 seconds", "0 seconds"]) {
      await fail(ago);
      repeated.push((await sweep(services)).forwardsRepeated);
    }
    assert.deepEqual(repeated, [0, 1, 0]);
    await fail("61 seconds");
    await sweep(services);
    const { rows } = await services.pool.query(
      `select status, json_array_length((payload -> 'forwards')::json) as forwards from agent_job`,
    );
    assert.deepEqual(rows, [{ status: "waiting", forwards: 2 }]);
  });

  it("keeps room promised that no sync has seen in use", async () => {
    assert.deepEqual(await jobsIn("capacity_reservation"), [1, 2, 5]);
  });

  it("finds nothing the second time", async () => {
    assert.deepEqual(await sweep(services), {
      locks: 0,
      vmids: 0,
      addresses: 0,
      capacitySynced: 0,
      closedGuests: 0,
      forwardsRepeated: 0,
    });
  });
});

/** Hosts 1 to 3 were synced an hour ago, just now, and never; each has a node. */
const HOSTS = `
  insert into host (name, hostname, user_name, secret_encrypted, last_sync_at) values
    ('alpha', 'alpha.example', 'root@pam', 'sealed', $1::timestamptz - interval '1 hour'),
    ('beta', 'beta.example', 'root@pam', 'sealed', $1), ('gamma', 'gamma.example', 'root@pam', 'sealed', null)`;

const ENDED = `
  with ended as (
    insert into job (kind, status, host_id, node, finished_at, started_at)
    select 'guest_create', 'done', h.id, 'pve', $1::timestamptz + seconds * interval '1 second', $1 from host h, unnest($2::int[]) seconds
    returning id, host_id)
  insert into capacity_reservation (job_id, node_id, storage, memory_mb, disk_bytes)
  select e.id, n.id, 'local', 1, 1 from ended e join node n on n.host_id = e.host_id`;

describe("jobs/engine/sweep of capacity reservations", () => {
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices();
  });
  afterEach(() => services.close());

  const promised = async (now: Date): Promise<unknown[]> => {
    const { rows } = await services.pool.query(
      `select j.host_id as host, extract(epoch from j.finished_at - $1)::int as ended
       from capacity_reservation r join job j on j.id = r.job_id order by 1, 2`,
      [now],
    );
    return rows;
  };

  it("gives back what the very host of the node was synced after, also in the moment of the job's end, and nothing else", async () => {
    const now = services.clock.now();
    await services.pool.query(HOSTS, [now]);
    await services.pool.query(`insert into node (host_id, name) select id, 'pve' from host order by id desc`);
    await services.pool.query(ENDED, [now, [-7200, -3600, -3599, 0, 1]]);
    assert.equal((await sweep(services)).capacitySynced, 2 + 4);
    assert.deepEqual(await promised(now), [
      ...[-3599, 0, 1].map((ended) => ({ host: 1, ended })),
      { host: 2, ended: 1 },
      ...[-7200, -3600, -3599, 0, 1].map((ended) => ({ host: 3, ended })),
    ]);
    await services.pool.query(`update host set last_sync_at = $1::timestamptz + interval '1 second' where id = 3`, [
      now,
    ]);
    assert.equal((await sweep(services)).capacitySynced, 5);
  });
});

/** A job that runs, between two that have ended; each holds everything. */
const NEIGHBOURS = `
  insert into host (name, hostname, user_name, secret_encrypted) values ('alpha', 'alpha.example', 'root@pam', 'sealed');
  insert into node (host_id, name) values (1, 'pve1');
  insert into guest (host_id, node_id, type, vmid) select 1, 1, 'qemu', 100 + n from generate_series(1, 3) n;
  insert into ip_zone (host_id, name, cidr, range_start, range_end, bridge, total, next_candidate)
    values (1, 'z', '10.0.0.0/24', '10.0.0.2', '10.0.0.9', 'vmbr0', 8, '10.0.0.9');
  insert into job (kind, status, host_id, finished_at, started_at) values
    ('guest_create', 'done', 1, now(), now()), ('guest_create', 'running', 1, null, now()), ('guest_create', 'done', 1, now(), now());
  insert into resource_lock (key, job_id) select 'guest:1:' || 200 + id, id from job;
  insert into vmid_reservation (host_id, vmid, job_id) select 1, 200 + id, id from job;
  insert into ip_address (zone_id, address, job_id, guest_id)
    select 1, '10.0.0.1'::inet + n, n, null from generate_series(1, 3) n union all select 1, '10.0.0.4'::inet + n, n, n from generate_series(1, 3) n;`;

describe("jobs/engine/sweep beside a job that runs", () => {
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices();
    await services.pool.query(NEIGHBOURS);
  });
  afterEach(() => services.close());

  const left = async (): Promise<unknown> => {
    const { rows } = await services.pool.query(
      `select (select array_agg(job_id) from resource_lock) as locks, (select array_agg(job_id) from vmid_reservation) as vmids,
         (select json_agg(json_build_array(host(address), job_id, guest_id) order by address) from ip_address) as addresses`,
    );
    return rows[0];
  };
  const OF_THE_JOB = {
    locks: [2],
    vmids: [2],
    addresses: [
      ["10.0.0.3", 2, null],
      ["10.0.0.5", null, 1],
      ["10.0.0.6", 2, 2],
      ["10.0.0.7", null, 3],
    ],
  };

  it("leaves it all that it holds, whichever jobs have ended before and after it", async () => {
    await sweep(services);
    assert.deepEqual(await left(), OF_THE_JOB);
  });

  it("is made when a process starts, and ends with the process", async () => {
    const stopping = new AbortController();
    const sweeping = sweepUntil(stopping.signal, services);
    await eventually(async () => assert.deepEqual(await left(), OF_THE_JOB));
    stopping.abort();
    await sweeping;
    await services.pool.query(`update job set status = 'done', finished_at = now() where finished_at is null`);
    await sweepUntil(stopping.signal, services);
    assert.deepEqual(await left(), OF_THE_JOB);
  });
});
