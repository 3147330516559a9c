// Benchmark: a placement preview over REST v1, at 10 to 10,000 nodes, beside the bare statement that reads the nodes.
import type { Pool } from "pg";
import { z } from "zod";
import { snapshotSql } from "../../src/placement/placementSnapshot.js";
import { withBenchDatabase, type BenchDatabase } from "../database.js";
import { figureOf, inTurns, median, percentile, timed, type Benchmark, type Figures, type Standing } from "../frame.js";
import { answerOf, bearer, receive, type LoadRequest } from "../load/load.js";
import { fillFleet } from "../seed/fleet.js";
import { storeToken } from "../seed/token.js";
import { withServers, type ServerProcess } from "../server/process.js";

const NODES = [10, 100, 1_000, 10_000];
/** In one turn, one after the other: enough for the 95th of a hundred to be another than the slowest. */
const REQUESTS = 60;
const PATH = "/api/v1/placement/suggest?type=qemu&memory_mb=4096&cores=2&disk_gb=40";

const SERVICE = "over REST v1";
const STATEMENT = "the bare statement";

export const placementHttp: Benchmark = {
  name: "placement-http",
  title: "placement preview over REST v1 beside the statement that reads the nodes",
  longestSeconds: 300,
  async run({ rounds }) {
    const standings: Standing[] = [];
    for (const nodes of NODES)
      standings.push(...(await withBenchDatabase((database) => atSize(database, nodes, rounds))));
    return {
      standings,
      verdicts: [
        { says: "p95 at 1,000 nodes", value: p95(standings, 1_000), unit: "ms", atMost: 25 },
        { says: "p95 at 10,000 nodes", value: p95(standings, 10_000), unit: "ms", atMost: 200 },
      ],
    };
  },
};

const nameAt = (name: string, nodes: number): string => `${name}, ${nodes} nodes`;
const p95 = (standings: readonly Standing[], nodes: number): number =>
  figureOf(standings, nameAt(SERVICE, nodes), "p95 ms");

async function atSize(database: BenchDatabase, nodes: number, rounds: number): Promise<Standing[]> {
  const { pool } = database;
  const nodesPerHost = Math.min(20, nodes);
  await fillFleet(pool, { hosts: nodes / nodesPerHost, nodesPerHost, guests: nodes * 2, history: false });
  const request: LoadRequest = { method: "GET", path: PATH, headers: bearer(await storeToken(pool)) };
  return withServers(["drover"], database, async ([server]) => {
    if (server === undefined) throw new Error("no server was started");
    await assertRanked(server, request, nodes);
    return inTurns(
      [
        { name: nameAt(STATEMENT, nodes), measure: () => repeated(() => readNodes(pool)) },
        { name: nameAt(SERVICE, nodes), measure: () => repeated(() => receive(server, request)) },
      ],
      rounds,
    );
  });
}

const placed = z.object({ data: z.object({ ranked: z.array(z.unknown()), dropped: z.array(z.unknown()) }) });

/** What is measured is a placement among all nodes. */
async function assertRanked(server: ServerProcess, request: LoadRequest, nodes: number): Promise<void> {
  const { ranked, dropped } = placed.parse(await answerOf(server, request)).data;
  if (ranked.length + dropped.length !== nodes || ranked.length === 0) {
    throw new Error(`${ranked.length} nodes were ranked and ${dropped.length} dropped of ${nodes}`);
  }
}

const readNodes = (pool: Pool): Promise<unknown> =>
  pool.query({ name: "nodes", text: snapshotSql(), values: [null, null] });

async function repeated(work: () => Promise<unknown>): Promise<Figures> {
  const times: number[] = [];
  for (let request = 0; request < REQUESTS; request++) times.push(await timed(work));
  return { "p50 ms": median(times), "p95 ms": percentile(times, 0.95) };
}
