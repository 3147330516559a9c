// What a queue on PostgreSQL holds while it is served: one connection for notifications, and the lock of each entry that is worked on.
import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { mock } from "node:test";
import { connectQueue, type JobQueue } from "../../../jobs/queue/queue.js";
import { JobKind } from "../../../src/core/enums.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { silentLog } from "../../support/log.js";
import { until } from "../../support/until.js";

/** Between two renewals of an entry's lock. */
const TOUCH_MS = 4_000;

const idly = (): Promise<void> => Promise.resolve();

describe("a job queue that is served", () => {
  let database: TestDatabase;
  let queue: JobQueue;
  beforeEach(async () => {
    database = await createTestDatabase();
    queue = await connectQueue({ databaseUrl: database.url, mongodbUri: undefined, name: "test" }, silentLog);
  });
  afterEach(() => database.close());

  /** Connections that were last told to listen. */
  const listeners = async (): Promise<number> => {
    const { rowCount } = await database.pool.query(
      `select from pg_stat_activity where datname = current_database() and query = 'LISTEN "agenda:jobs:state"'`,
    );
    return rowCount ?? -1;
  };
  it("has one connection that listens, however many queues the process serves", async () => {
    assert.equal(await listeners(), 1);
    await queue.serve("run-job", idly);
    assert.equal(await listeners(), 1);
    await queue.serve("run-moves", idly);
    assert.equal(await listeners(), 1);
    await queue.close();
  });

  it("has no connection left once it is closed", async () => {
    await queue.serve("run-job", idly);
    await queue.check();
    await queue.close();
    await assert.rejects(queue.check(), /after calling end on the pool/);
  });

  it("renews the lock of an entry as long as its work lasts, and no longer", async () => {
    const { setInterval: begin, clearInterval: end } = globalThis;
    const renewals = new Set<unknown>();
    const began = mock.method(globalThis, "setInterval", (work: () => void, ms: number) => {
      const timer = begin(work, ms);
      if (ms === TOUCH_MS) renewals.add(timer);
      return timer;
    });
    const ended = mock.method(globalThis, "clearInterval", (timer: NodeJS.Timeout) => {
      renewals.delete(timer);
      end(timer);
    });
    try {
      const worked = new EventEmitter();
      await queue.serve("run-job", () => Promise.resolve(void worked.emit("entry", renewals.size)));
      const entry = once(worked, "entry");
      queue.wake({ id: 1, kind: JobKind.GUEST_CREATE });
      assert.deepEqual(await entry, [1]);
      await until(
        "the entry is done",
        async () => (await database.pool.query(`select from agenda_jobs`)).rowCount === 0,
      );
      assert.equal(renewals.size, 0);
      await queue.close();
    } finally {
      began.mock.restore();
      ended.mock.restore();
    }
  });
});
