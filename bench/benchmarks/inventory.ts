// Benchmark: the CPU time of syncs of a fleet, the first one and one where 1 % changed, beside JSON.parse of the same answers.
import { withBenchDatabase } from "../database.js";
import { inTurns, ratioOf, type Benchmark, type Contestant, type Result, type Standing } from "../frame.js";
import type { SyncUse } from "../server/inventory.js";
import { SIMULATED_FLEET } from "../server/platform.js";
import { withServers, type ServerProcess } from "../server/process.js";

const { hosts, nodesPerHost, guestsPerHost } = SIMULATED_FLEET;
/** A first sync asks for each guest's configuration: more rounds would take minutes. */
const FIRST_SYNCS = 2;

export const inventory: Benchmark = {
  name: "inventory",
  title: `CPU of a sync of ${hosts} hosts × ${nodesPerHost} nodes × ${guestsPerHost} guests a host beside JSON.parse of the answers`,
  longestSeconds: 240,
  run: ({ rounds }) =>
    withBenchDatabase((database) =>
      withServers(["simulated fleet", "inventory"], database, async ([platform, service]) => {
        if (platform === undefined || service === undefined) throw new Error("no server was started");
        const first = await beside("first sync", () => ask(service, "/first"), Math.min(rounds, FIRST_SYNCS));
        const again = await beside("sync, 1 % changed", () => changeAndSync(platform, service), rounds);
        return resultOf(first, again);
      }),
    ),
};

async function ask({ url }: ServerProcess, path: "/first" | "/again"): Promise<SyncUse> {
  const response = await fetch(url + path, { method: "POST" });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own program's answer
  return (await response.json()) as SyncUse;
}

async function changeAndSync(platform: ServerProcess, service: ServerProcess): Promise<SyncUse> {
  await fetch(platform.url, { method: "POST" });
  return ask(service, "/again");
}

/** Each round syncs once: the parse is that of the answers to this very sync. */
function beside(name: string, sync: () => Promise<SyncUse>, rounds: number): Promise<Standing[]> {
  let last: SyncUse | null = null;
  const contestants: readonly Contestant[] = [
    {
      name: `JSON.parse of the answers, ${name}`,
      async measure() {
        last = await sync();
        return { "CPU ms": last.parseCpuMs, answers: last.answers, MB: last.megabytes };
      },
    },
    { name, measure: () => Promise.resolve({ "CPU ms": last?.syncCpuMs ?? Number.NaN }) },
  ];
  return inTurns(contestants, rounds);
}

const resultOf = (first: readonly Standing[], again: readonly Standing[]): Result => ({
  standings: [...first, ...again],
  verdicts: [
    { says: "CPU of a first sync to the parse", value: ratioOf(first, "first sync", "CPU ms"), unit: "×", atMost: 4 },
    {
      says: "CPU of a sync where 1 % changed to the parse",
      value: ratioOf(again, "sync, 1 % changed", "CPU ms"),
      unit: "×",
      atMost: 2,
    },
  ],
  notes: [
    "CPU time is of the service's process alone: neither PostgreSQL nor the simulated hosts are in it.",
    "A first sync is one request a guest (its configuration); one where 1 % changed asks for those that changed only.",
  ],
});
