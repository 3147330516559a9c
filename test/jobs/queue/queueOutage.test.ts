// The queue on PostgreSQL, whose connection is lost while it is opened: it waits, and works once the database is back.
import { EventEmitter, once } from "node:events";
import { connectQueue } from "../../../jobs/queue/queue.js";
import { JobKind } from "../../../src/core/enums.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { silentLog } from "../../support/log.js";
import { startProxy } from "../../support/proxy.js";
import { until } from "../../support/until.js";

describe("the job queue's connection to PostgreSQL", () => {
  let database: TestDatabase;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  before(async () => {
    database = await createTestDatabase();
    proxy = await startProxy(database.url);
  });
  after(async () => {
    await proxy.close();
    await database.close();
  });

  const connect = () => connectQueue({ databaseUrl: proxy.url, mongodbUri: undefined, name: "test" }, silentLog);

  for (const words of ["SELECT 1", 'LISTEN "agenda:jobs"', 'LISTEN "agenda:jobs:state"']) {
    it(`is made again when it is lost at ${words}`, async () => {
      proxy.cut(words, "before");
      const queue = await connect();
      await queue.check();
      await queue.close();
    });
  }

  it("is made again when it is lost at the LISTEN of a queue that begins to serve", async () => {
    const queue = await connect();
    const woken = new EventEmitter();
    proxy.cut('LISTEN "agenda:jobs"', "before");
    await queue.serve("run-job", () => Promise.resolve(void woken.emit("job")));
    const job = once(woken, "job");
    queue.wake({ id: 1, kind: JobKind.GUEST_CREATE });
    await job;
    await queue.close();
  });

  it("is lost while an entry that was taken too early is released, and the queue goes on", async () => {
    await database.pool.query(
      `insert into agenda_jobs (name, next_run_at, locked_at) values ('run-job', now() + interval '1 hour', now() - interval '1 hour')`,
    );
    const queue = await connect();
    const woken = new EventEmitter();
    proxy.cut("SET locked_at = NULL", "before");
    await queue.serve("run-job", () => Promise.resolve(void woken.emit("job")));
    await until("the connection is cut", () => !proxy.isToCut);
    const job = once(woken, "job");
    queue.wake({ id: 1, kind: JobKind.GUEST_CREATE });
    await job;
    await queue.close();
  });
});
