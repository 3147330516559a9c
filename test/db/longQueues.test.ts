// Queues with a hundred thousand jobs: whoever looks for the next reads a few rows, of its own queue.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { z } from "zod";
import { claimDue } from "../../jobs/engine/lease.js";
import { kindsThatWake, type QueueName } from "../../jobs/queue/queue.js";
import { executorFor } from "../jobs/killing.js";
import { workUntilIdle } from "../../jobs/engine/worker.js";
import { silentQueue } from "../jobs/queue/backends.js";
import { JobKind } from "../../src/core/enums.js";
import { WORK_QUEUES } from "../../src/core/workQueue.js";
import { createTestServices, type TestServices } from "../support/services.js";

const QUEUED = 100_000;
/** Held by other workers. */
const RUNNING = 200;
const WANTED = 32;

/** Long ended, long queues of each kind but two, and these two behind them. */
const JOBS = `
  insert into job (kind, status, finished_at) select 'guest_create', 'done', now() from generate_series(1, 50000);
  insert into job (kind, status, lease_until)
  select kind, 'running', now() + interval '1 hour' from generate_series(1, ${RUNNING}), unnest(array['guest_create', 'migration']) kind;
  insert into job (kind) select kind from generate_series(1, ${QUEUED}), unnest(array['guest_create', 'migration']) kind;
  insert into job (kind, status, lease_until) values ('guest_delete', 'running', now() - interval '1 second');
  insert into job (kind) values ('safety_copy_delete'), ('guest_reinstall'), ('evacuation'), ('balance_run');
  analyze job`;

const QUEUES: readonly QueueName[] = ["run-job", "run-migration", "run-moves"];

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string | undefined;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number | undefined;
  readonly Plans?: readonly PlanNode[] | undefined;
}

const planNode: z.ZodType<PlanNode> = z.object({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  "Actual Rows": z.number(),
  "Actual Loops": z.number(),
  "Rows Removed by Filter": z.number().optional(),
  get Plans() {
    return z.array(planNode).optional();
  },
});
const explained = z.tuple([z.object({ "QUERY PLAN": z.tuple([z.object({ Plan: planNode })]) })]);

describe("long queues", function () {
  this.timeout(1_800_000);
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
    await services.pool.query(JOBS);
  });
  after(() => services.close());

  for (const queue of QUEUES) {
    it(`are claimed from without reading them (${queue})`, async () => {
      const { pool, read } = explaining(services.pool);
      await claimDue(executorFor({ ...services, pool }, "reader"), { kinds: kindsThatWake(queue), most: WANTED });
      // Those that others hold are passed over, and what is claimed is read once more to be changed.
      assertFew(read, RUNNING + 3 * WANTED);
    });
  }

  for (const queue of WORK_QUEUES) {
    it(`are worked off without reading them (${queue})`, async () => {
      const { pool, read } = explaining(services.pool);
      await workUntilIdle(executorFor({ ...services, pool }, "reader"), { queues: [queue], queue: silentQueue });
      assertFew(read, RUNNING + 3 * WANTED);
    });
  }

  it("are of every kind of job", () => {
    const kinds = QUEUES.flatMap(kindsThatWake);
    assert.deepEqual(kinds.toSorted(), Object.values(JobKind).toSorted());
  });
});

function assertFew(read: readonly number[], most: number): void {
  assert.ok(read.length > 0);
  for (const rows of read) assert.ok(rows <= most, `${rows} rows of jobs were read`);
}

/** A pool that says of statements about jobs how many rows they read, and gives none; what they change is taken back. */
function explaining(pool: Pool): { pool: Pool; read: number[] } {
  const read: number[] = [];
  const query = async (
    asked: string | { text: string; values: unknown[] },
    given: unknown[] = [],
  ): Promise<unknown> => {
    const { text, values } = typeof asked === "string" ? { text: asked, values: given } : asked;
    if (!/from job|update job/.test(text)) return pool.query(text, values);
    const client = await pool.connect();
    await client.query("begin");
    const { rows } = await client.query(`explain (analyze, format json) ${text}`, values);
    await client.query("rollback");
    client.release();
    read.push(rowsOfJobs(explained.parse(rows)[0]["QUERY PLAN"][0].Plan));
    return { rows: [], rowCount: 0 };
  };
  return {
    pool: new Proxy(pool, { get: (target, key) => (key === "query" ? query : Reflect.get(target, key)) }),
    read,
  };
}

/** Rows of the table that were looked at, kept or not; a row that is looked up again counts again. */
function rowsOfJobs(plan: PlanNode): number {
  const here = plan["Relation Name"] === "job" && plan["Node Type"].includes("Scan");
  const looked = (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"];
  return (here ? looked : 0) + (plan.Plans ?? []).reduce((sum, each) => sum + rowsOfJobs(each), 0);
}
