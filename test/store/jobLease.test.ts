// Which jobs a worker may take: those that wait and those whose worker has let its lease expire, each by one worker alone.
import assert from "node:assert/strict";
import { executorFor } from "../jobs/killing.js";
import { claim, claimDue } from "../../jobs/engine/lease.js";
import type { Claim } from "../../src/store/job/claim.js";
import { jobStore } from "../../src/store/jobStore.js";
import { JobKind } from "../../src/core/enums.js";
import { plant } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";

/** The youngest first, as a table may have them. */
const JOBS = `
  insert into job (id, kind, status, lease_epoch, lease_until, worker, error, finished_at) overriding system value values
    (7, 'guest_delete', 'queued', 0, null, null, null, null),
    (6, 'guest_create', 'failed', 1, null, null, 'why', now()),
    (5, 'guest_create', 'done', 1, null, null, null, now()),
    (4, 'migration', 'queued', 0, null, null, null, null),
    (3, 'guest_create', 'queued', 0, null, null, null, null),
    (2, 'guest_create', 'running', 4, now() - interval '1 second', 'other', null, null),
    (1, 'guest_create', 'running', 4, now() + interval '1 minute', 'other', null, null)`;

const ids = (claims: readonly Claim[]): number[] => claims.map(({ id }) => id).toSorted((one, other) => one - other);

describe("leases of jobs", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
  });
  after(() => services.close());
  beforeEach(async () => {
    await services.pool.query(`delete from job`);
    await services.pool.query(JOBS);
  });

  const due = (most: number, kinds: readonly JobKind[] = [JobKind.GUEST_CREATE, JobKind.GUEST_DELETE]) =>
    claimDue(executorFor(services, "mine"), { kinds, most });

  it("takes what waits and what an expired lease covers, of its own kinds", async () => {
    assert.deepEqual(ids(await due(10)), [2, 3, 7]);
    assert.deepEqual(ids(await due(10)), []);
    assert.deepEqual(ids(await due(10, [JobKind.MIGRATION])), [4]);
  });

  it("takes those first that were made first, and no more than it has room for", async () => {
    assert.deepEqual(ids(await due(2)), [2, 3]);
  });

  it("gives a job to one of several workers that ask at once", async () => {
    const all = await Promise.all(["a", "b", "c"].map((worker) => claim(executorFor(services, worker), 3)));
    assert.equal(all.filter((one) => one !== null).length, 1);
    const both = await Promise.all([due(10), due(10)]);
    assert.deepEqual(ids(both.flat()), [2, 7]);
  });

  it("takes a job by its id only if no worker holds it and it has not ended", async () => {
    for (const id of [1, 5, 6]) assert.equal(await claim(executorFor(services, "mine"), id), null);
  });

  it("counts claims and attempts, so that writes of the worker before are distinguished", async () => {
    const taken = await claim(executorFor(services, "mine"), 2);
    assert.deepEqual([taken?.leaseEpoch, taken?.attempts], [5, 1]);
  });

  it("has the steps of this very job as the journal has them", async () => {
    const states = { did: "done", warned: "warned", failed: "failed", began: "running" } as const;
    const stepsOf = (id: number) =>
      Object.entries(states).map(([name, status]) => ({ job_id: id, name: `${name}${id}`, status }));
    const at = new Date(0);
    const undo = { undo_status: "failed", undo_error: "volume 7", undo_started_at: at, undo_finished_at: at };
    await plant(services.pool, {
      job_step: [...[1, 2, 3].flatMap(stepsOf), { job_id: 2, name: "undone2", status: "done", ...undo }],
    });
    const steps = (await claim(executorFor(services, "mine"), 2))?.steps ?? [];
    assert.deepEqual(
      steps.toSorted((one, other) => one.name.localeCompare(other.name)),
      [
        { name: "began2", status: "running", undo: null, left: null },
        { name: "did2", status: "done", undo: null, left: null },
        { name: "failed2", status: "failed", undo: null, left: null },
        { name: "undone2", status: "done", undo: "failed", left: "volume 7" },
        { name: "warned2", status: "warned", undo: null, left: null },
      ],
    );
  });

  it("releases a job at once, but not one that another worker has taken over", async () => {
    const taken = await claim(executorFor(services, "mine"), 3);
    assert.ok(taken);
    await jobStore(services.pool).release({ ...taken, leaseEpoch: taken.leaseEpoch - 1 });
    assert.equal(await claim(executorFor(services, "next"), 3), null);
    await jobStore(services.pool).release(taken);
    assert.equal((await claim(executorFor(services, "next"), 3))?.leaseEpoch, 2);
  });
});
