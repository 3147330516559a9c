// What is still held for jobs that ended is given back, and nothing else.
import assert from "node:assert/strict";
import { sweep, sweepUntil } from "../../../jobs/periodic/sweep.js";
import type { Services } from "../../../src/context/context.js";
import { keptLog } from "../../support/log.js";
import { fromNow, plant, type Rows } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";
import { withMethods } from "../killing.js";

const away = (): Promise<never> => Promise.reject(new Error("Connection terminated"));

/** The first sweep of a process that stops during it. */
async function sweepOnce(services: Services): Promise<void> {
  const stopping = new AbortController();
  const sweeping = sweepUntil(stopping.signal, services);
  stopping.abort();
  await sweeping;
}

const HOUR_SECONDS = 3600;
const JOBS = [1, 2, 3, 4, 5];

/** Jobs 1 and 2 go on, 3 and 4 ended before the host was read, 5 ends after it. */
const FURNITURE: Rows = {
  host: [{ last_sync_at: fromNow(0) }],
  node: [{}],
  guest: [{ vmid: 100 }, { vmid: 101, gone_at: fromNow(-6 * 60) }, { vmid: 102, gone_at: fromNow(0) }],
  port_forward: [1, 2, 3].map((guest) => ({ guest_id: guest, public_port: 10_000 + guest })),
  ip_zone: [{ next_candidate: "10.0.0.9" }],
  job: [
    { status: "queued" },
    { status: "running" },
    { status: "done", finished_at: fromNow(-HOUR_SECONDS) },
    { status: "failed", finished_at: fromNow(-HOUR_SECONDS) },
    { status: "done", finished_at: fromNow(HOUR_SECONDS) },
  ],
  resource_lock: [
    ...JOBS.map((job) => ({ key: `guest:1:${200 + job}`, job_id: job })),
    { key: "guest:1:300", job_id: null, until: fromNow(-1) },
    { key: "guest:1:301", job_id: null, until: fromNow(HOUR_SECONDS) },
  ],
  vmid_reservation: JOBS.map((job) => ({ vmid: 200 + job, job_id: job })),
  capacity_reservation: JOBS.map((job) => ({ job_id: job })),
  ip_address: [
    { address: "10.0.0.2", job_id: 1 },
    { address: "10.0.0.3", job_id: 2 },
    { address: "10.0.0.4", job_id: 3, guest_id: 1 },
    { address: "10.0.0.5", job_id: 4 },
    { address: "10.0.0.6" },
    { address: "10.0.0.7", guest_id: 1 },
  ],
};

describe("jobs/periodic/sweep", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
    await plant(services.pool, FURNITURE);
  });
  after(() => services.close());

  const jobsIn = async (table: string): Promise<number[]> => {
    const { rows } = await services.pool.query<{ job_id: number }>(`select job_id from ${table} order by job_id`);
    return rows.map(({ job_id }) => job_id);
  };

  it("releases what ended jobs hold, and what has no holder", async () => {
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

  it("counts the zone's addresses again, and hands out the lowest that came back", async () => {
    const { rows } = await services.pool.query(
      `select used::int, (select host(min(address)) from ip_zone_returned) as next from ip_zone`,
    );
    assert.deepEqual(rows, [{ used: 4, next: "10.0.0.5" }]);
  });

  it("closes the public ports of guests that are gone for good, and sends the node's agent what is left", async () => {
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

  it("keeps room reserved that no sync has seen in use", async () => {
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

const ENDED_SECONDS = [-2 * HOUR_SECONDS, -HOUR_SECONDS, -HOUR_SECONDS + 1, 0, 1];

const later = (moment: Date, seconds: number): Date => new Date(moment.getTime() + seconds * 1000);

/**
 * Hosts 1 to 3 were synced an hour before this moment, at it, and never. The node of each, in reverse order, is reserved for jobs of
 * its host that ended about then.
 */
const reservations = (moment: Date): Rows => ({
  host: [
    { name: "alpha", last_sync_at: later(moment, -HOUR_SECONDS) },
    { name: "beta", last_sync_at: moment },
    { name: "gamma", last_sync_at: null },
  ],
  node: [3, 2, 1].map((host) => ({ host_id: host })),
  job: [1, 2, 3].flatMap((host) =>
    ENDED_SECONDS.map((seconds) => ({ host_id: host, status: "done", finished_at: later(moment, seconds) }) as const),
  ),
  capacity_reservation: [3, 2, 1].flatMap((node, host) =>
    ENDED_SECONDS.map((_, index) => ({ node_id: node, job_id: host * ENDED_SECONDS.length + index + 1 })),
  ),
});

describe("jobs/periodic/sweep of capacity reservations", () => {
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices();
  });
  afterEach(() => services.close());

  const reserved = async (now: Date): Promise<unknown[]> => {
    const { rows } = await services.pool.query(
      `select j.host_id as host, extract(epoch from j.finished_at - $1)::int as ended
       from capacity_reservation r join job j on j.id = r.job_id order by 1, 2`,
      [now],
    );
    return rows;
  };

  it("releases what the node's own host was synced after, also in the moment of the job's end, and nothing else", async () => {
    const now = services.clock.now();
    await plant(services.pool, reservations(now));
    assert.equal((await sweep(services)).capacitySynced, 2 + 4);
    assert.deepEqual(await reserved(now), [
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
const NEIGHBOURS: Rows = {
  host: [{}],
  node: [{}],
  guest: [{ vmid: 101 }, { vmid: 102 }, { vmid: 103 }],
  ip_zone: [{ next_candidate: "10.0.0.9" }],
  job: [{ status: "done" }, { status: "running" }, { status: "done" }],
  resource_lock: [1, 2, 3].map((job) => ({ key: `guest:1:${200 + job}`, job_id: job })),
  vmid_reservation: [1, 2, 3].map((job) => ({ vmid: 200 + job, job_id: job })),
  ip_address: [
    ...[1, 2, 3].map((job) => ({ address: `10.0.0.${1 + job}`, job_id: job })),
    ...[1, 2, 3].map((job) => ({ address: `10.0.0.${4 + job}`, job_id: job, guest_id: job })),
  ],
};

describe("jobs/periodic/sweep beside a job that runs", () => {
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices();
    await plant(services.pool, NEIGHBOURS);
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
    const { log, lines } = keptLog();
    await sweepOnce({ ...services, log });
    assert.deepEqual(await left(), OF_THE_JOB);
    assert.deepEqual(lines, ["warn: orphaned resources released"]);
    await services.pool.query(`update job set status = 'done', finished_at = now() where finished_at is null`);
    await sweepUntil(AbortSignal.abort(), services);
    assert.deepEqual(await left(), OF_THE_JOB);
  });

  it("is silent where nothing is held for jobs that have ended, and goes on after a failure", async () => {
    await sweep(services);
    const { log, lines } = keptLog();
    await sweepOnce({ ...services, log });
    assert.deepEqual(lines, []);
    await sweepOnce({ ...services, pool: withMethods(services.pool, { connect: away, query: away }), log });
    assert.deepEqual(lines, ["warn: sweep failed", "warn: sweep failed"], "of jobs' holdings, and of tokens");
  });
});
