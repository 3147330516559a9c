// Writes about one job beside others like it, older and younger: of its continuation, its input, its parking, and its start under a drain.
import assert from "node:assert/strict";
import { JobKind, MigrationStep } from "../../src/core/enums.js";
import { continueJob, insertJob, setJobInput, setJobInputs } from "../../src/store/job/job.js";
import { giveUpJob } from "../../src/store/held/end.js";
import { unparkJob } from "../../src/store/job/parked.js";
import { insertDrain } from "../../src/store/worker.js";
import { jobStore } from "../../src/store/jobStore.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { plant } from "../support/rows.js";

const IDS = [1, 2, 3];
const READS_ALL = {
  worker: "w",
  leaseSeconds: 30,
  readable: new Map(Object.values(JobKind).map((kind) => [kind, 99])),
};

describe("a job among its neighbours", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await plant(database.pool, {
      host: [{}, { name: "beta" }],
      node: [{}],
      guest: IDS.map((id) => ({ vmid: 100 + id })),
    });
  });
  afterEach(() => database.close());

  const valuesOf = async (sql: string): Promise<unknown[]> => {
    const { rows } = await database.pool.query<{ value: unknown }>(`select ${sql}`);
    return rows.map(({ value }) => value);
  };

  it("has the input that is set for it, and is the one that was made last", async () => {
    await plant(database.pool, { job: IDS.map(() => ({})) });
    assert.equal(await insertJob(database.pool, { kind: "guest_create" }), 4);
    await setJobInput(database.pool, 2, { disk: 1 });
    assert.deepEqual(await valuesOf(`input as value from job order by id`), [{}, { disk: 1 }, {}, {}]);
    await setJobInputs(database.pool, [
      { id: 3, input: { disk: 3 } },
      { id: 1, input: { disk: 2 } },
    ]);
    assert.deepEqual(await valuesOf(`input as value from job order by id`), [
      { disk: 2 },
      { disk: 1 },
      { disk: 3 },
      {},
    ]);
  });

  it("continues the attempt before with its tasks, its findings and its steps that are done", async () => {
    const facts = {
      vmid: 7,
      failure: "no disk",
      undoing: "guest",
      waiting: {},
      remadeDrives: [],
      tasks: { clone: "UPID:2" },
    };
    await plant(database.pool, {
      job: [...IDS, 4, 5].map((id) => ({ status: "failed", upids: [`UPID:${id}`] }) as const),
      job_step: IDS.flatMap((job_id) =>
        (["done", "warned", "failed", "running"] as const).flatMap((status, index) => [
          { job_id, status, name: `${status} ${job_id}`, position: index },
          { job_id, status, name: `${status} never repeated ${job_id}`, position: index + 10 },
        ]),
      ),
    });
    const before = await valuesOf(`to_jsonb(j) - 'facts' as value from job j where id <> 4 order by id`);
    const neverRepeated = "warned never repeated 2";
    await continueJob(database.pool, { from: 2, to: 4, facts, neverRepeated });
    assert.deepEqual(await valuesOf(`upids as value from job where id = 4`), [["UPID:2"]]);
    assert.deepEqual(await valuesOf(`facts as value from job order by id`), [
      {},
      {},
      {},
      { vmid: 7, tasks: { clone: "UPID:2" } },
      {},
    ]);
    assert.deepEqual(
      await valuesOf(`name || ' is ' || status as value from job_step where job_id = 4 order by position`),
      ["done 2 is done", "done never repeated 2 is done", "warned never repeated 2 is done"],
    );
    assert.deepEqual(await valuesOf(`to_jsonb(j) - 'facts' as value from job j where id <> 4 order by id`), before);
    assert.deepEqual(await valuesOf(`count(*)::int as value from job_step where job_id <> 4`), [24]);
  });

  describe("that is parked", () => {
    beforeEach(async () => {
      await plant(database.pool, {
        job: IDS.map(
          () => ({ kind: "migration", status: "failed", parked_at: new Date(0), secrets_encrypted: "sealed" }) as const,
        ),
        job_step: IDS.flatMap((job_id) => [MigrationStep.TARGET_TOKEN, "copy"].map((name) => ({ job_id, name }))),
        migration: IDS.map((job_id) => ({ job_id, status: "failed", error: "why", finished_at: new Date(0) }) as const),
        resource_lock: IDS.map((job_id) => ({ job_id, key: `guest:1:${job_id}` })),
      });
    });

    it("waits for a worker again, and its step that makes the temporary token is repeated", async () => {
      await unparkJob(database.pool, 2);
      assert.deepEqual(await valuesOf(`status || ' ' || (parked_at is null) as value from job order by id`), [
        "failed false",
        "queued true",
        "failed false",
      ]);
      assert.deepEqual(await valuesOf(`job_id || ' ' || name as value from job_step order by job_id, name`), [
        "1 copy",
        "1 target_token",
        "2 copy",
        "3 copy",
        "3 target_token",
      ]);
    });

    it("keeps that step on record once the job has failed: it is undone with the others", async () => {
      await database.pool.query(`update job set facts = '{"failure": "why"}' where id = 2`);
      await unparkJob(database.pool, 2);
      assert.deepEqual(await valuesOf(`name as value from job_step where job_id = 2 order by name`), [
        "copy",
        "target_token",
      ]);
    });

    it("releases what it holds when it is given up, and reports why", async () => {
      await giveUpJob(database.pool, 2, "given up");
      const row = `concat_ws(', ', error, parked_at is null, secrets_encrypted) as value from job order by id`;
      assert.deepEqual(await valuesOf(row), ["why, f, sealed", "why; given up, t", "why, f, sealed"]);
      assert.deepEqual(await valuesOf(`job_id as value from resource_lock order by 1`), [1, 3]);
      assert.deepEqual(await valuesOf(`error as value from migration order by id`), ["why", "why; given up", "why"]);
    });
  });

  it("is begun under a drain if a run is at its very move, and no other is", async () => {
    await plant(database.pool, {
      run: [{}],
      job: IDS.map(() => ({ kind: "migration" }) as const),
      migration: IDS.map((job_id) => ({ job_id })),
      run_item: IDS.map(
        (migration_id) =>
          ({
            migration_id,
            guest_id: migration_id,
            position: migration_id,
            status: migration_id === 2 ? "running" : "waiting",
          }) as const,
      ),
    });
    await insertDrain(database.pool, "ann");
    const claims = await jobStore(database.pool).claimDue(READS_ALL, { kinds: [JobKind.MIGRATION], most: 10 });
    assert.deepEqual(
      claims.map(({ id, hostName }) => [id, hostName]),
      [[2, "alpha"]],
    );
  });
});
