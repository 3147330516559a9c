// Periodic tasks as scheduled jobs of Agenda: run soon after a start, at their times, by one process, and again after a failure or a loss.
import assert from "node:assert/strict";
import { connectQueue, type JobQueue } from "../../../jobs/queue/queue.js";
import type { ScheduledTask } from "../../../jobs/queue/schedule.js";
import { eventually } from "../../support/eventually.js";
import { keptLog } from "../../support/log.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { Agenda } from "agenda";
import { MongoBackend } from "@agendajs/mongo-backend";
import { PostgresBackend } from "@agendajs/postgres-backend";
import { MongoClient } from "mongodb";
import { backends, type Server } from "./backends.js";

/** Some other time of the day. */
const AT_THREE = "0 3 * * *";
/** More than the processes: each of them running it every time would show. */
const TIMES = 5;

/** A task that counts its runs. */
const counted = (): { task: ScheduledTask; runs: () => number } => {
  let runs = 0;
  const run = (): Promise<void> => Promise.resolve(void runs++);
  return { task: { name: "counted", cron: AT_THREE, run }, runs: () => runs };
};

for (const [backend, start] of Object.entries(backends)) {
  describe(`periodic tasks on ${backend}`, () => {
    let database: TestDatabase;
    let server: Awaited<ReturnType<Server>>;
    let agenda: Agenda;
    let endAgenda: () => Promise<unknown>;
    const queues: JobQueue[] = [];
    const { log, lines } = keptLog();
    const restorations = () =>
      lines.filter((line) => line === "warn: scheduled tasks restored in the job queue").length;
    before(async () => {
      database = await createTestDatabase();
      server = await start();
      const { mongodbUri } = server;
      if (mongodbUri === undefined) {
        agenda = new Agenda({ backend: new PostgresBackend({ pool: database.pool, ensureSchema: false }) });
        endAgenda = () => Promise.resolve();
      } else {
        const client = await new MongoClient(mongodbUri).connect();
        agenda = new Agenda({ backend: new MongoBackend({ mongo: client.db() }) });
        endAgenda = () => client.close();
      }
      await agenda.ready;
    });
    afterEach(async () => {
      await Promise.all(queues.splice(0).map((queue) => queue.close()));
      await agenda.cancel({ names: ["counted", "failing"] });
    });
    after(async () => {
      await endAgenda();
      await server.end();
      await database.close();
    });

    const connect = async (): Promise<JobQueue> => {
      const connection = {
        databaseUrl: database.url,
        mongodbUri: server.mongodbUri,
        name: `test-${queues.length}`,
        pollMs: 50,
      };
      const queue = await connectQueue(connection, log);
      queues.push(queue);
      return queue;
    };
    const stored = async (name: string) => (await agenda.queryJobs({ name })).jobs;
    /** No process has it to run before its next time. */
    const waitsForThree = (): Promise<void> =>
      eventually(async () => {
        const [entry] = await stored("counted");
        assert.equal(entry?.lockedAt ?? null, null);
        assert.equal(entry?.nextRunAt?.toISOString().slice(11, 16), "03:00");
      });

    it("run soon after a start, and are then scheduled for their next time, in their zone", async () => {
      const { task, runs } = counted();
      await (await connect()).schedule([task]);
      await eventually(async () => {
        assert.equal(runs(), 1);
        const [entry] = await stored("counted");
        assert.ok(entry?.lastFinishedAt);
        assert.equal(entry.repeatInterval, AT_THREE);
        assert.equal(entry.repeatTimezone, "UTC");
        assert.equal(entry.nextRunAt?.getUTCHours(), 3);
      });
    });

    it("run once at their time although several processes serve them", async () => {
      const { task, runs } = counted();
      const all = await Promise.all([connect(), connect(), connect()]);
      for (const queue of all) await queue.schedule([task]);
      await waitsForThree();
      for (let round = 0; round < TIMES; round++) {
        const before = runs();
        const entry = await agenda.every(AT_THREE, "counted", undefined, { timezone: "UTC" });
        await entry.schedule(new Date(Date.now() + 500)).save();
        await eventually(async () => assert.ok(runs() > before));
        await waitsForThree();
      }
      // Each start has it run too, at the latest while it is run at its times.
      const most = TIMES + all.length;
      assert.ok(runs() <= most, `${runs()} runs for ${TIMES} times and ${all.length} starts`);
    });

    it("are made again and run when the queue has lost its data", async () => {
      const { task, runs } = counted();
      const queue = await connect();
      await queue.schedule([task]);
      await eventually(async () => assert.ok((await stored("counted"))[0]?.lastFinishedAt));
      await agenda.cancel({ name: "counted" });
      assert.equal(restorations(), 0);
      await queue.restoreSchedule();
      assert.equal(restorations(), 1);
      await eventually(async () => assert.equal(runs(), 2));
    });

    it("keep the time of a present entry when lost ones are looked for", async () => {
      const { task, runs } = counted();
      const queue = await connect();
      await queue.schedule([task]);
      await eventually(async () => assert.ok((await stored("counted"))[0]?.lastFinishedAt));
      const [before] = await stored("counted");
      const warnedBefore = restorations();
      await queue.restoreSchedule();
      assert.equal(restorations(), warnedBefore);
      const [after] = await stored("counted");
      assert.deepEqual([after?.nextRunAt, runs()], [before?.nextRunAt, 1]);
    });

    it("show their failure in the queue's store, are tried again some minutes later, and stop no other task", async () => {
      const { task, runs } = counted();
      const failing = { name: "failing", cron: AT_THREE, run: () => Promise.reject(new Error("no disk")) };
      await (await connect()).schedule([failing, task]);
      await eventually(async () => {
        const [entry] = await stored("failing");
        assert.equal(entry?.failReason, "no disk");
        const minutes = ((entry.nextRunAt?.getTime() ?? 0) - Date.now()) / 60_000;
        assert.ok(minutes > 13 && minutes < 16, `again in ${minutes} minutes`);
        assert.equal(runs(), 1);
      });
    });
  });
}
