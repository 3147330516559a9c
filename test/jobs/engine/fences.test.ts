// The fences of a job: a worker whose lease went to another, or whose job has ended, changes nothing in the database.
import assert from "node:assert/strict";
import type { Services } from "../../../src/context/context.js";
import { jobStore } from "../../../src/store/jobStore.js";
import { executorFor } from "../killing.js";
import { JobContext } from "../../../jobs/engine/context.js";
import { inFencedTransaction, Journal } from "../../../jobs/engine/journal.js";
import { openClaim } from "../../../jobs/engine/openClaim.js";
import { claim, keepLease } from "../../../jobs/engine/lease.js";
import { attachMigration, currentItem, directItem, settleItem } from "../../../jobs/run/items.js";
import type { Turn } from "../../../src/store/run/turn.js";
import { runOf } from "../../../jobs/run/run.js";
import { Fenced, type ClaimedJob } from "../../../jobs/engine/step.js";
import { eventually } from "../../support/eventually.js";
import { HandTime } from "../../support/handTime.js";
import { fromNow, plant, type Rows } from "../../support/rows.js";
import { createTestServices, type TestServices } from "../../support/services.js";
import { differences, tablesOf } from "../tables.js";

const JOBS = [1, 2, 3];

/** The jobs are alike, so that a write to the one before or after job 2 shows; each holds everything that a job can hold. */
const FURNITURE: Rows = {
  host: [{}],
  node: [{}],
  guest: [{ vmid: 101 }, { vmid: 102 }, { vmid: 103 }],
  ip_zone: [{ next_candidate: "10.0.0.9" }],
  job: (["guest_create", "balance_run", "guest_create"] as const).map((kind) => ({
    kind,
    secrets_encrypted: "sealed",
  })),
  job_step: JOBS.map((job_id) => ({ job_id, name: "examine" })),
  resource_lock: JOBS.map((job) => ({ key: `guest:1:${200 + job}`, job_id: job })),
  vmid_reservation: JOBS.map((job) => ({ vmid: 200 + job, job_id: job })),
  capacity_reservation: JOBS.map((job) => ({ job_id: job })),
  ip_address: [
    ...JOBS.map((job) => ({ address: `10.0.0.${1 + job}`, job_id: job })),
    ...JOBS.map((job) => ({ address: `10.0.0.${4 + job}`, job_id: job, guest_id: job })),
  ],
};

type Write = (job: ClaimedJob, services: TestServices) => Promise<unknown>;

const mine = (services: Services) => executorFor(services, "mine");
const WAITING = { hostId: 1, reason: "away", sinceMsAgo: 1, againInMs: 1 };
const journal = ({ pool }: TestServices, job: ClaimedJob): Journal => new Journal(jobStore(pool), job);
/** The journal of a job whose rollback is at the step `examine`. */
const undoing = (services: TestServices, job: ClaimedJob): Journal =>
  journal(services, { ...job, steps: [{ name: "examine", status: "done", undo: "running", left: null }] });
const context = (services: TestServices, job: ClaimedJob): JobContext =>
  new JobContext(mine(services), job, new AbortController().signal);
const note = (status: "running" | "done" | "warned" | "failed") => ({ name: "clone", position: 1, status });

/** The end of a step is written with what comes next. */
const stepEnd =
  (status: "done" | "warned" | "failed"): Write =>
  (job, services) => {
    const entries = journal(services, job);
    entries.stepEnded({ ...note(status), output: { failure: "why" } }, 0.5);
    return entries.write();
  };

const WRITES: Readonly<Record<string, Write>> = {
  "the beginning of a step": (job, services) =>
    journal(services, job).write({ steps: [note("running")], step: "clone" }),
  "the end of a step": stepEnd("done"),
  "a warning": stepEnd("warned"),
  "a failure": (job, services) =>
    journal(services, job).write({ steps: [note("failed")], findings: { failure: "why" } }),
  progress: (job, services) => context(services, job).progress(0.7),
  findings: (job, services) => context(services, job).remember({ undoing: "something" }),
  "an effect": (job, services) => context(services, job).beginEffect("clone"),
  "the begin of an undo": (job, services) => journal(services, job).undoBegins("examine"),
  "the end of an undo": (job, services) => undoing(services, job).undoEnded("examine", null),
  "what an undo left behind": (job, services) => undoing(services, job).undoEnded("examine", "volume 7"),
  "a task": (job, services) => context(services, job).rememberTask("clone", "UPID:pve1:1"),
  "what it waits for": (job, services) => journal(services, job).writeWaiting(WAITING),
  "that it goes on": (job, services) => journal(services, job).writeWaiting(null),
  "its end": (job, services) => journal(services, job).end(null),
  "its failure": (job, services) => journal(services, job).end("why"),
  "a transaction of its own": (job, services) =>
    inFencedTransaction(services.pool, job, (client) => client.query(`update guest set name = 'renamed'`)),
};

/** What has become of a job that a worker holds under its lease. */
const FATES: Readonly<Record<string, string>> = {
  "another worker has taken it over": `lease_epoch = lease_epoch + 1, reads = version`,
  "the database was restored to before it was taken": `lease_epoch = lease_epoch - 1, reads = version`,
  "it has ended": `status = 'done', lease_until = null, worker = null, secrets_encrypted = null, finished_at = now()`,
  "it has failed": `status = 'failed', error = 'why', lease_until = null, worker = null, secrets_encrypted = null, finished_at = now()`,
  "it waits for a worker": `status = 'queued', lease_until = null, worker = null`,
};

describe("the fences of a job", () => {
  let services: TestServices;
  let time: HandTime;
  beforeEach(async () => {
    time = new HandTime();
    services = await createTestServices();
    await plant(services.pool, FURNITURE);
  });
  afterEach(() => services.close());

  /** Job 2, held under a lease of some age; the others are held under the same. */
  const held = async (): Promise<ClaimedJob> => {
    await services.pool.query(`update job set lease_epoch = 4`);
    const [, job] = await Promise.all([1, 2, 3].map((id) => claim(mine(services), id)));
    assert.deepEqual([job?.id, job?.leaseEpoch], [2, 5]);
    return (job && (await openClaim(mine(services), job))) ?? assert.fail();
  };
  const befall = (fate: string): Promise<unknown> => services.pool.query(`update job set ${fate} where id = 2`);
  const thirdMs = (): number => (services.config.leaseSeconds * 1000) / 3;
  /** Lets a third of the lease go by, once its renewal waits for that. */
  const passThird = async (): Promise<void> => {
    await time.waitsFor(thirdMs());
    time.move(thirdMs());
  };
  /** What the work changes, table by table. */
  const changes = async (work: () => Promise<unknown>): Promise<Readonly<Record<string, unknown>>> => {
    const before = await tablesOf(services.pool);
    await work();
    return differences(before, await tablesOf(services.pool));
  };

  for (const [fate, sql] of Object.entries(FATES)) {
    it(`let nothing through when ${fate}`, async () => {
      const job = await held();
      await befall(sql);
      for (const [what, write] of Object.entries(WRITES)) {
        const changed = await changes(() => assert.rejects(write(job, services), Fenced, what));
        assert.deepEqual(changed, {}, what);
      }
    });

    it(`neither prolong nor end the lease when ${fate}`, async () => {
      const job = await held();
      await befall(sql);
      const { signal } = new AbortController();
      let losses = 0;
      const changed = await changes(async () => {
        const keeping = keepLease({ ...mine(services), stopwatch: time }, job, {
          held: signal,
          lost: () => void losses++,
        });
        await passThird();
        await keeping;
        await jobStore(services.pool).release(job);
      });
      assert.deepEqual([changed, losses], [{}, 1]);
    });
  }

  it("let a worker write that holds the job, and to this job alone", async () => {
    const job = await held();
    const others = `select (select json_agg(j order by id) from job j where id <> 2) as jobs, (select json_agg(s) from job_step s where job_id <> 2) as steps,
      (select count(*) from resource_lock where job_id <> 2) as locks, (select count(*) from vmid_reservation where job_id <> 2) as vmids,
      (select count(*) from capacity_reservation where job_id <> 2) as room, (select count(*) from ip_address where job_id <> 2) as addresses`;
    const { rows: before } = await services.pool.query(others);
    for (const [what, write] of Object.entries(WRITES)) {
      // An end lets go of the job.
      await services.pool.query(
        `update job set status = 'running', finished_at = null, error = null, lease_until = now() where id = 2`,
      );
      const changed = await changes(() => write(job, services));
      assert.notDeepEqual(Object.keys(changed), [], what);
      assert.deepEqual((await services.pool.query(others)).rows, before, what);
    }
    const { rows } = await services.pool.query(
      `select (select array_agg(job_id order by 1) from resource_lock) as locks, (select array_agg(job_id order by 1) from vmid_reservation) as vmids,
         (select array_agg(job_id order by 1) from capacity_reservation) as room,
         (select json_agg(json_build_array(host(address), job_id, guest_id) order by address) from ip_address) as addresses`,
    );
    const addresses = [
      ["10.0.0.2", 1, null],
      ["10.0.0.4", 3, null],
      ["10.0.0.5", 1, 1],
      ["10.0.0.6", null, 2],
      ["10.0.0.7", 3, 3],
    ];
    assert.deepEqual(rows, [{ locks: [1, 3], vmids: [1, 3], room: [1, 3], addresses }]);
  });

  it("prolong and end the lease of a worker that holds the job, and of this job alone", async () => {
    const job = await held();
    const leases = async (): Promise<readonly number[]> => {
      const { rows } = await services.pool.query<{ left: number }>(
        `select round(extract(epoch from lease_until - now()) / 100)::int as left from job order by id`,
      );
      return rows.map(({ left }) => left);
    };
    await services.pool.query(`update job set lease_until = now() + interval '500 seconds', created_at = now()`);
    const ended = new AbortController();
    const keeping = keepLease({ ...mine(services), stopwatch: time }, job, {
      held: ended.signal,
      lost: () => assert.fail("lost"),
    });
    try {
      await passThird();
      await eventually(async () => assert.notEqual((await leases())[1], 5));
    } finally {
      ended.abort();
      await keeping;
    }
    assert.deepEqual(await leases(), [5, 0, 5]);
    const { rows: prolonged } = await services.pool.query(
      `select lease_until >= created_at + $1 * interval '1 second' as far from job where id = 2`,
      [services.config.leaseSeconds],
    );
    assert.deepEqual(prolonged, [{ far: true }], "by its term from the renewal on");
    await services.pool.query(`update job set lease_until = now() + interval '500 seconds'`);
    await jobStore(services.pool).release(job);
    assert.deepEqual(await leases(), [5, 0, 5]);
  });

  it("ask nothing of the database before a third of the lease has passed", async () => {
    const job = await held();
    const ended = new AbortController();
    let asked = 0;
    const pool = new Proxy(services.pool, {
      get: (target, key) => {
        if (key === "query") asked++;
        return Reflect.get(target, key);
      },
    });
    const keeping = keepLease({ ...mine({ ...services, pool }), stopwatch: time }, job, {
      held: ended.signal,
      lost: () => assert.fail("lost"),
    });
    await time.waitsFor(thirdMs());
    time.move(thirdMs() - 1);
    ended.abort();
    await keeping;
    assert.equal(asked, 0);
  });

  describe("of a run", () => {
    it("let nothing through when another worker has taken it over", async () => {
      const job = await held();
      await plant(services.pool, {
        run: [{ job_id: 2, kind: "balance_run" }],
        run_item: [
          { status: "running", started_at: fromNow(0) },
          { position: 2, guest_id: 2, vmid: 101 },
        ],
      });
      const own = context(services, job);
      const run = await runOf(services.pool, 2);
      const item = await currentItem(own, run);
      assert.equal(item?.vmid, 100);
      await befall(`lease_epoch = lease_epoch + 1, reads = version`);
      const writes: Readonly<Record<string, (item: Turn) => Promise<unknown>>> = {
        "whose turn it is": () => currentItem(own, run),
        "where it goes": (one) => directItem(own, one, { hostId: 1, node: "pve1", storage: null }),
        "its move": (one) => attachMigration(own, one, 1),
        "how it ended": (one) => settleItem(own, one, { status: "done", reason: null }),
      };
      for (const [what, write] of Object.entries(writes)) {
        const changed = await changes(() => assert.rejects(write(item), Fenced, what));
        assert.deepEqual(changed, {}, what);
      }
      await services.pool.query(`update run_item set status = 'waiting', started_at = null`);
      assert.deepEqual(await changes(() => assert.rejects(currentItem(own, run), Fenced)), {}, "the next turn");
    });
  });
});
