// What the journal of a job says after each entry: of its steps and their times, its findings, its waits and its end.
import assert from "node:assert/strict";
import { UndoStatus } from "../../src/core/enums.js";
import { jobStore, type JobStore } from "../../src/store/jobStore.js";
import type { StepStatus } from "../../src/store/job/journal.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { insertRows, LEASE } from "./rows.js";

const NOTHING = { steps: [], facts: {}, progress: null } as const;

describe("the journal of a job", () => {
  let database: TestDatabase;
  let store: JobStore;
  beforeEach(async () => {
    database = await createTestDatabase();
    store = jobStore(database.pool);
    await insertRows(database);
  });
  afterEach(() => database.close());

  const row = async (columns: string): Promise<unknown> => {
    const { rows } = await database.pool.query(`select ${columns} from job where id = 1`);
    return rows[0];
  };
  const note = (status: StepStatus) =>
    store.write(LEASE, { ...NOTHING, step: null, steps: [{ name: "copy", position: 1, status }] });
  /** Whether the step was begun again since it was first on record, and whether it has ended. */
  const times = async (): Promise<unknown> => {
    const { rows } = await database.pool.query(
      `select started_at > timestamptz '2020-01-02' as again, finished_at is not null as ended from job_step`,
    );
    return rows;
  };

  it("has the end of a step that has ended, and the beginning of its last attempt", async () => {
    await note("running");
    await database.pool.query(`update job_step set started_at = '2020-01-01'`);
    assert.deepEqual(await times(), [{ again: false, ended: false }]);
    for (const status of ["done", "warned", "failed"] as const) {
      await note(status);
      assert.deepEqual(await times(), [{ again: false, ended: true }], status);
    }
    await note("running");
    assert.deepEqual(await times(), [{ again: true, ended: false }]);
  });

  it("has since when a step is undone, and when that ended with what it left", async () => {
    const undo = async (status: UndoStatus, error: string | null = null): Promise<unknown> => {
      assert.equal(await store.writeUndo(LEASE, { step: "copy", status, error }), true);
      const { rows } = await database.pool.query(
        `select undo_status as status, undo_error as error, undo_started_at > timestamptz '2020-01-02' as again,
           undo_finished_at is not null as ended from job_step`,
      );
      return rows[0];
    };
    await note("done");
    await undo(UndoStatus.RUNNING);
    await database.pool.query(`update job_step set undo_started_at = '2020-01-01'`);
    const failed = { status: "failed", error: "volume 7", again: false, ended: true };
    assert.deepEqual(await undo(UndoStatus.FAILED, "volume 7"), failed);
    const begun = { status: "running", error: null, again: true, ended: false };
    assert.deepEqual(await undo(UndoStatus.RUNNING), begun);
    assert.deepEqual(await undo(UndoStatus.DONE), { ...begun, status: "done", ended: true });
  });

  it("keeps where the job is when an entry does not state it, and adds what it found", async () => {
    await store.write(LEASE, { steps: [], facts: { vmid: 7 }, step: "copy", progress: 0.25 });
    await store.write(LEASE, { ...NOTHING, facts: { guestId: 2 }, step: null });
    assert.deepEqual(await row("step, progress, facts"), {
      step: "copy",
      progress: 0.25,
      facts: { vmid: 7, guestId: 2 },
    });
  });

  it("has each task once, the last one last", async () => {
    for (const upid of ["one", "two", "one"]) await store.writeTask(LEASE, `effect ${upid}`, upid);
    assert.deepEqual(await row("upids, facts"), {
      upids: ["two", "one"],
      facts: { tasks: { "effect one": "one", "effect two": "two" } },
    });
  });

  it("records since when a job waits, and when it goes on, and no longer once it goes on", async () => {
    const between = `extract(epoch from (facts -> 'waiting' ->> 'triesAgainAt')::timestamptz - (facts -> 'waiting' ->> 'since')::timestamptz)::int`;
    const isSincePast = `(facts -> 'waiting' ->> 'since')::timestamptz < service_now() - interval '4 seconds' as past`;
    await store.writeWaiting(LEASE, { hostId: 1, reason: "away", sinceMsAgo: 4_000, againInMs: 2_000 });
    assert.deepEqual(await row(`${between} as seconds, ${isSincePast}, facts -> 'waiting' ->> 'reason' as reason`), {
      seconds: 6,
      past: true,
      reason: "away",
    });
    await store.writeWaiting(LEASE, null);
    assert.deepEqual(await row("facts"), { facts: {} });
  });

  for (const [error, status, progress] of [
    [null, "done", 1],
    ["no disk", "failed", 0.5],
  ] as const) {
    it(`has a job as ${status} at its end, with its progress, and without worker or secrets`, async () => {
      await database.pool.query(`update job set secrets_encrypted = 'sealed'`);
      assert.equal(await store.end(LEASE, { ...NOTHING, error, progress: 0.5 }), true);
      assert.deepEqual(
        await row(`status, error, progress, worker, lease_until, secrets_encrypted, finished_at is not null as ended`),
        { status, error, progress, worker: null, lease_until: null, secrets_encrypted: null, ended: true },
      );
    });
  }
});
