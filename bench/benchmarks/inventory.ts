// Benchmark: the CPU time of syncs of a fleet, the first one and those where something changed, beside the same requests made barely
// and JSON.parse of the same answers; and the memory that syncs take.
import { request } from "undici";
import { withBenchDatabase, type BenchDatabase } from "../database.js";
import { inTurns, ratioOf, USUAL_EFFORT, type Benchmark, type Contestant } from "../frame.js";
import type { Effort, Result, Standing, Verdict } from "../frame.js";
import type { SyncMemory, SyncUse } from "../server/inventory.js";
import { SIMULATED_HOST } from "../server/platform.js";
import { withServers, type ServerProcess } from "../server/process.js";

const { nodes, guests } = SIMULATED_HOST;
/** A first sync asks for each guest's configuration: more rounds would take minutes. */
const FIRST_SYNCS = 2;
const MB = 1024 ** 2;
const FIRST = "first sync";
const RENAMED = "sync, 1 % changed";
const BUSY = "sync, 1 % changed and every load";

export const inventory: Benchmark = {
  name: "inventory",
  title: `CPU of a sync of ${USUAL_EFFORT.hosts} hosts (or --hosts) × ${nodes} nodes × ${guests} guests beside JSON.parse of the answers`,
  longestSeconds: 300,
  run: (effort) =>
    withBenchDatabase((database) =>
      withServers(["simulated fleet"], database, async ([platform]) => {
        if (platform === undefined) throw new Error("no server was started");
        for (let host = 0; host < effort.hosts; host++) await order(platform, "/add");
        const standings = await withServers(["inventory"], database, ([service]) =>
          syncs({ platform, service, database }, effort),
        );
        const memoryAfter = (path: string): Promise<SyncMemory> =>
          withServers(["inventory"], database, ([service]) => ask<SyncMemory>(service, path));
        return resultOf(standings, [
          ...memoryVerdicts("two syncs", await memoryAfter("/memory")),
          ...memoryVerdicts("two syncs, all details of nodes due", await memoryAfter("/memory-of-details")),
        ]);
      }),
    ),
};

interface Parts {
  readonly platform: ServerProcess;
  readonly service: ServerProcess | undefined;
  readonly database: BenchDatabase;
}

async function syncs({ platform, service, database }: Parts, { rounds }: Effort): Promise<Standing[]> {
  const afterOrders = (...orders: readonly string[]) =>
    measured(database, async () => {
      for (const url of orders) await order(platform, url);
      return () => ask<SyncUse>(service, "/again");
    });
  const first = measured(database, () => Promise.resolve(() => ask<SyncUse>(service, "/first")));
  return [
    ...(await beside(FIRST, first, Math.min(rounds, FIRST_SYNCS))),
    ...(await beside(RENAMED, afterOrders("/rename"), rounds)),
    ...(await beside(BUSY, afterOrders("/rename", "/work"), rounds)),
  ];
}

interface Measured extends SyncUse {
  /** Of PostgreSQL. */
  readonly databaseCpuMs: number;
}

/** @param prepare what comes before a sync and is not measured; it returns the sync */
const measured = (database: BenchDatabase, prepare: () => Promise<() => Promise<SyncUse>>) => async () => {
  const sync = await prepare();
  const before = await database.cpu();
  const use = await sync();
  return { ...use, databaseCpuMs: ((await database.cpu()) - before) / 1000 };
};

async function ask<Answer>(service: ServerProcess | undefined, path: string): Promise<Answer> {
  if (service === undefined) throw new Error("no server was started");
  // The first sync of a large fleet takes longer than clients usually wait.
  const { body } = await request(service.url + path, { method: "POST", headersTimeout: 0, bodyTimeout: 0 });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own program's answer
  return (await body.json()) as Answer;
}

const order = (platform: ServerProcess, path: string): Promise<unknown> =>
  fetch(platform.url + path, { method: "POST" }).then((response) => response.text());

/** Each round syncs once: the requests and the parse are those of this very sync. */
function beside(name: string, sync: () => Promise<Measured>, rounds: number): Promise<Standing[]> {
  let last: Measured | null = null;
  const contestants: readonly Contestant[] = [
    {
      name: `JSON.parse of the answers, ${name}`,
      async measure() {
        last = await sync();
        return { "CPU ms": last.parseCpuMs, answers: last.answers, MB: last.megabytes };
      },
    },
    {
      name: `the same requests barely, ${name}`,
      measure: () => Promise.resolve({ "CPU ms": last?.requestsCpuMs ?? Number.NaN }),
    },
    {
      name,
      measure: () =>
        Promise.resolve({
          "CPU ms": last?.syncCpuMs ?? Number.NaN,
          "× bare requests": last === null ? Number.NaN : last.syncCpuMs / last.requestsCpuMs,
          "of PostgreSQL": last?.databaseCpuMs ?? Number.NaN,
        }),
    },
  ];
  return inTurns(contestants, rounds);
}

const memoryVerdicts = (what: string, { idle, most, after }: SyncMemory): Verdict[] => [
  { says: `memory after ${what}, more than idle`, value: (after - idle) / MB, unit: "MB", atMost: 150 },
  { says: `memory at most during ${what}, more than idle`, value: (most - idle) / MB, unit: "MB", atMost: 150 },
];

function resultOf(standings: readonly Standing[], memory: readonly Verdict[]): Result {
  return {
    standings: [...standings],
    verdicts: [
      { says: "CPU of a first sync to the parse", value: ratioOf(standings, FIRST, "CPU ms"), unit: "×", atMost: 4 },
      {
        says: "CPU of a sync where 1 % changed to the parse",
        value: ratioOf(standings, RENAMED, "CPU ms"),
        unit: "×",
        atMost: 2,
      },
      ...memory,
    ],
    notes: [
      "CPU time is of the service's process alone: the simulated hosts are not in it, PostgreSQL has a column of its own.",
      "A first sync is one request a guest (its configuration); one where 1 % changed asks for those that changed only.",
      "The bare requests are made by undici alone, one connection a host over the same TLS, and their answers parsed.",
      "Memory is of processes of their own that sync the same fleet twice, beginning with nothing in memory.",
    ],
  };
}
