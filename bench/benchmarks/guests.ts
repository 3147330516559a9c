// Benchmark: a page of guests over REST v1 beside handlers written by hand on the same rows.
import assert from "node:assert/strict";
import { withBenchDatabase } from "../database.js";
import { figureOf, inTurns, joined, ratioOf } from "../frame.js";
import type { Benchmark, Effort, Result, Standing, Verdict } from "../frame.js";
import { answerOf, bearer, loaded, type LoadRequest } from "../load/load.js";
import { CLIENTS, fillGuests, PAGE_PATHS } from "../server/guestPage.js";
import { withServers, type ServerProcess } from "../server/process.js";

const PLAIN = "guests, plain";
const PASSED_THROUGH = "guests, passed through";
const DROVER = "drover";
const SERVERS = [PLAIN, "guests, tuned", PASSED_THROUGH, DROVER];

/** What the clients ask for: each a page of its own, or all the same one. */
const LOADS: readonly [string, readonly string[]][] = [
  ["own pages", PAGE_PATHS],
  ["one page", PAGE_PATHS.slice(0, 1)],
];

export const guests: Benchmark = {
  name: "guests",
  title: `50 guests over REST v1 beside node:http + pg, token check and request log on, ${CLIENTS} clients`,
  longestSeconds: 360,
  run: (effort) =>
    withBenchDatabase(async (database) => {
      const headers = bearer(await fillGuests(database.pool));
      const asking = (path: string): LoadRequest => ({ method: "GET", path, headers });
      return withServers(SERVERS, database, async (servers) => {
        const results: Result[] = [];
        for (const [wanted, paths] of LOADS) {
          results.push(await compare(servers, { wanted, requests: paths.map(asking) }, effort));
        }
        return joined(results);
      });
    }),
};

interface Asked {
  readonly wanted: string;
  readonly requests: readonly LoadRequest[];
}

async function compare(servers: readonly ServerProcess[], asked: Asked, { rounds, seconds }: Effort): Promise<Result> {
  const { wanted, requests } = asked;
  for (const request of requests) await assertSameAnswers(servers, request);
  const load = { connections: CLIENTS, seconds, requests };
  const standings = await inTurns(
    servers.map((server) => loaded(nameOf(server.name, wanted), server, load)),
    rounds,
  );
  return { standings, verdicts: verdictsOf(standings, wanted) };
}

const nameOf = (server: string, wanted: string): string => `${server}, ${wanted}`;

function verdictsOf(standings: readonly Standing[], wanted: string): Verdict[] {
  const rate = (name: string): number => figureOf(standings, nameOf(name, wanted), "requests/s");
  const toBare = ratioOf(standings, nameOf(DROVER, wanted), "requests/s");
  const toCeiling = rate(DROVER) / rate(PASSED_THROUGH);
  return [
    { says: `requests/s to bare, ${wanted}`, value: toBare, unit: "×", atLeast: 1.5 },
    { says: `requests/s to the ceiling, ${wanted}`, value: toCeiling, unit: "×", atLeast: 0.9 },
  ];
}

/** What is compared must do the same work. */
async function assertSameAnswers(servers: readonly ServerProcess[], request: LoadRequest): Promise<void> {
  const [first, ...others] = await Promise.all(servers.map((server) => answerOf(server, request)));
  for (const other of others) assert.deepEqual(other, first, "all servers give the same answer");
}
