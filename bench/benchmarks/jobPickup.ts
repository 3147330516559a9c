// Benchmark: how soon a worker takes the job of an accepted creation, beside a bare insert and NOTIFY, and guests made a second.
import { Client, type Pool } from "pg";
import pLimit from "p-limit";
import { allDone, hostIsKnown, containerRequests, startOf, type RequestContainer } from "../creations/containers.js";
import { withBenchDatabase } from "../database.js";
import { figureOf, inTurns, percentile, type Benchmark, type Contestant, type Effort, type Result } from "../frame.js";
import { storeToken } from "../seed/token.js";
import { withServers, type ServerProcess } from "../server/process.js";

const PICK_UPS = 20;
const CREATIONS = 200;
const CREATIONS_AT_ONCE = 16;
/** Whole creations take seconds: more rounds would take minutes. */
const CREATION_ROUNDS = 2;
const CREATED = `${CREATIONS} containers, ${CREATIONS_AT_ONCE} requests at once`;

export const jobPickup: Benchmark = {
  name: "job-pickup",
  title: "a creation's job from its answer to a worker, and creations a second, one process, simulated host",
  longestSeconds: 240,
  run: (effort) =>
    withBenchDatabase(async (database) => {
      const { pool } = database;
      const token = await storeToken(pool);
      const listener = new Client({ connectionString: database.url });
      await listener.connect();
      await listener.query("listen bench; create table bare_job (id int generated always as identity, at timestamptz)");
      try {
        return await withServers(["roomy host", "drover, with workers"], database, async ([, service]) => {
          if (service === undefined) throw new Error("no server was started");
          await hostIsKnown(pool);
          return compare({ pool, listener, service, request: containerRequests(service, token) }, effort);
        });
      } finally {
        await listener.end();
      }
    }),
};

const BARE = `
  with made as (insert into bare_job (at) values (now()) returning id) select pg_notify('bench', id::text) from made`;

interface Stage {
  readonly pool: Pool;
  readonly listener: Client;
  readonly service: ServerProcess;
  readonly request: RequestContainer;
}

async function compare(stage: Stage, { rounds }: Effort): Promise<Result> {
  const pickUps = await inTurns([bare(stage), pickedUp(stage)], rounds);
  const creations = await inTurns([created(stage)], Math.min(rounds, CREATION_ROUNDS));
  const p50 = figureOf(pickUps, "creation to worker", "p50 ms");
  const accepted = figureOf(creations, CREATED, "accepted/s");
  return {
    standings: [...pickUps, ...creations],
    verdicts: [
      { says: "accepted creation to running job, p50", value: p50, unit: "ms", atMost: 15 },
      { says: "creations accepted", value: accepted, unit: "/s", atLeast: 100 },
    ],
    notes: [
      "p50 and p95 are from the answer until it is heard, or the job runs; 0 is before the answer was here.",
      "'from request' is the p50 from sending, the whole creation's acceptance included.",
      "Jobs that were started before go on meanwhile; the simulated host takes no time for its tasks.",
    ],
  };
}

/** Of one insert or job, milliseconds since 1970. */
interface Moments {
  readonly sent: number;
  readonly answered: number;
  readonly there: number;
}

/** PostgreSQL's clock is this machine's, but finer than `Date.now`. */
const now = (): number => performance.timeOrigin + performance.now();

const bare = ({ pool, listener }: Stage): Contestant => ({
  name: "bare insert + NOTIFY, heard",
  measure: () =>
    inOrder(async () => {
      const heard = new Promise<number>((resolve) => listener.once("notification", () => resolve(now())));
      const sent = now();
      await pool.query(BARE);
      const answered = now();
      return { sent, answered, there: await heard };
    }),
});

const pickedUp = ({ pool, request }: Stage): Contestant => ({
  name: "creation to worker",
  async measure() {
    const figures = await inOrder(async () => {
      const sent = now();
      const jobId = await request();
      const answered = now();
      return { sent, answered, there: await startOf(pool, jobId) };
    });
    await allDone(pool);
    return figures;
  },
});

async function inOrder(once: () => Promise<Moments>): Promise<Record<string, number>> {
  const moments: Moments[] = [];
  for (let number = 0; number < PICK_UPS; number++) moments.push(await once());
  const waits = moments.map(({ answered, there }) => Math.max(0, there - answered));
  return {
    "p50 ms": percentile(waits, 0.5),
    "p95 ms": percentile(waits, 0.95),
    "from request": percentile(
      moments.map(({ sent, there }) => there - sent),
      0.5,
    ),
  };
}

const created = ({ pool, service, request }: Stage): Contestant => ({
  name: CREATED,
  async measure() {
    const before = await service.use();
    const begin = performance.now();
    await pLimit(CREATIONS_AT_ONCE).map(Array.from({ length: CREATIONS }), request);
    const accepted = performance.now();
    await allDone(pool);
    const finished = performance.now();
    const after = await service.use();
    return {
      "accepted/s": (CREATIONS * 1000) / (accepted - begin),
      "finished/s": (CREATIONS * 1000) / (finished - begin),
      "CPU ms each": (after.cpu - before.cpu) / 1000 / CREATIONS,
      "with PostgreSQL": (after.cpuOfAll - before.cpuOfAll) / 1000 / CREATIONS,
      "statements each": (after.statements - before.statements) / CREATIONS,
    };
  },
});
