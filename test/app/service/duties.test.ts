// Every duty has an owner in every combination of roles that docs/operating.md lists; a duty without one is told in a metric and the log.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readConfig } from "../../../src/config/config.js";
import { DUTIES, Duty } from "../../../src/core/duty.js";
import { createLogger } from "../../../src/observability/log.js";
import { metrics } from "../../../src/observability/metrics.js";
import { UNATTENDED_DUTIES } from "../../../src/reads/models/duty.js";
import { look } from "../../../app/server/dutyWatch.js";
import { startService } from "../../../app/service.js";
import { createTestDatabase, type TestDatabase } from "../../support/database.js";
import { eventually } from "../../support/eventually.js";
import { silentLog } from "../../support/log.js";
import { runProgram } from "../../support/programs.js";
import { fromNow, plant } from "../../support/rows.js";
import { systemClock } from "../../../src/concurrency/clock.js";

const SECRET = randomBytes(32).toString("base64");
const BESIDE_MOVES = DUTIES.filter((duty) => duty !== Duty.MIGRATIONS);

const hoursAgo = (hours: number) => fromNow(-hours * 3600);

describe("the standing work of the service", () => {
  let database: TestDatabase;
  let environment: Record<string, string>;
  beforeEach(async () => {
    database = await createTestDatabase();
    environment = { PORT: "0", DATABASE_URL: database.url, DROVER_SECRET: SECRET, DROVER_SYNC_SECONDS: "0.5" };
    await plant(database.pool, { host: [{ hostname: "127.0.0.1", port: 1 }] });
  });
  afterEach(() => database.close());

  /** A process by its role, or by the words after `drover`; it is ended with what this returns. */
  const start = async (process: string): Promise<() => Promise<unknown>> => {
    if (!process.startsWith("worker ") && process !== "drover worker") {
      const service = await startService(readConfig({ ...environment, DROVER_ROLE: process }), silentLog);
      return () => service.stop();
    }
    const program = runProgram("app/cli/main.js", process.replace("drover ", "").split(" "), environment);
    await program.printed("the worker is ready");
    return () => program.end();
  };

  const unattended = async (): Promise<string[]> =>
    (await database.pool.query<{ duty: string }>(UNATTENDED_DUTIES)).rows.map(({ duty }) => duty);

  const isRead = async (): Promise<boolean> =>
    (await database.pool.query("select from host where last_attempt_at is not null")).rowCount === 1;

  const combinations: readonly (readonly [processes: string[], nobodyDoes: readonly string[]])[] = [
    [["all"], []],
    [["api", "worker"], []],
    [["api", "drover worker"], []],
    [["api", "worker --queue jobs", "worker --queue migrations"], []],
    [["all", "worker --queue migrations"], []],
    [["api"], DUTIES],
    [
      ["api", "worker --queue migrations"],
      [Duty.HOST_SYNC, Duty.INVENTORY_PRUNE, Duty.JOBS],
    ],
  ];
  for (const [processes, nobodyDoes] of combinations) {
    const rest = nobodyDoes.length === 0 ? "is all done" : `lacks ${nobodyDoes.join(", ")}`;
    it(`${rest} by ${processes.join(" and ")}`, async () => {
      const ends: (() => Promise<unknown>)[] = [];
      for (const each of processes) ends.push(await start(each));
      assert.deepEqual((await unattended()).toSorted(), [...nobodyDoes].toSorted());
      if (!nobodyDoes.includes(Duty.HOST_SYNC)) await eventually(async () => assert.ok(await isRead()));
      else assert.equal(await isRead(), false);
      for (const end of ends) await end();
    });
  }

  it("is reported by every process when no process does it, once, and no longer when one does", async () => {
    const told: unknown[] = [];
    const log = createLogger("silent", "test");
    log.warn = (message: unknown) => void told.push(message);
    const looking = { pool: database.pool, clock: systemClock(0), log };
    const known = await look(looking, []);
    assert.equal(told.length, DUTIES.length);
    assert.ok(told.includes("no process reads the hosts"));
    assert.match(await metrics.metrics(), /^drover_duty_unattended\{duty="host_sync"\} 1$/m);
    assert.deepEqual(await look(looking, known), known);
    assert.equal(told.length, DUTIES.length);
    await plant(database.pool, { worker: [{ queues: ["jobs", "migrations"], duties: BESIDE_MOVES }] });
    assert.deepEqual(await look(looking, known), []);
    assert.match(await metrics.metrics(), /^drover_duty_unattended\{duty="host_sync"\} 0$/m);
  });

  it("counts as done by a worker of the release before, which does not report what it does", async () => {
    await plant(database.pool, { worker: [{ queues: ["jobs"] }] });
    assert.deepEqual(await unattended(), [Duty.MIGRATIONS]);
  });

  it("reports a task that was not finished in time, or that fails", async () => {
    const looking = { pool: database.pool, clock: systemClock(0), log: silentLog };
    const late = async (task: string): Promise<boolean> => {
      await look(looking, []);
      return new RegExp(`^drover_task_overdue\\{task="${task}"\\} 1$`, "m").test(await metrics.metrics());
    };
    await plant(database.pool, {
      task_run: [
        { name: "request-log", finished_at: hoursAgo(25) },
        { name: "sessions", finished_at: hoursAgo(27) },
        { name: "safety-copies", started_at: fromNow(-60), finished_at: hoursAgo(1), error: "no disk" },
        { name: "address-history", started_at: hoursAgo(3) },
        { name: "inventory", finished_at: hoursAgo(4) },
      ],
    });
    const tasks = ["request-log", "sessions", "safety-copies", "address-history", "inventory"];
    const told: string[] = [];
    for (const task of tasks) if (await late(task)) told.push(task);
    assert.deepEqual(told, tasks.slice(1));
  });
});
