// Benchmark: a page of guests over REST v1 beside handlers written by hand on the same rows.
import assert from "node:assert/strict";
import { withBenchDatabase } from "../database.js";
import { figureOf, inTurns, ratioOf } from "../frame.js";
import type { Benchmark, Effort, Result, Standing, Verdict } from "../frame.js";
import { answerOf, bearer, loaded, type LoadRequest } from "../load/load.js";
import { CLIENTS, fillGuests, PAGE_PATHS } from "../server/guestPage.js";
import { withServers, type ServerProcess } from "../server/process.js";

const PLAIN = "guests, plain";
const PASSED_THROUGH = "guests, passed through";
const DROVER = "drover";
const SERVERS = [PLAIN, "guests, tuned", PASSED_THROUGH, DROVER];

export const guests: Benchmark = {
  name: "guests",
  title: `50 guests over REST v1 beside node:http + pg, token check and request log on, ${CLIENTS} clients`,
  longestSeconds: 360,
  run: (effort) =>
    withBenchDatabase(async (database) => {
      const headers = bearer(await fillGuests(database.pool));
      const requests = PAGE_PATHS.map((path): LoadRequest => ({ method: "GET", path, headers }));
      return withServers(SERVERS, database, (servers) => compare(servers, requests, effort));
    }),
};

/** Each client asks for a page of its own. */
async function compare(
  servers: readonly ServerProcess[],
  requests: readonly LoadRequest[],
  { rounds, seconds }: Effort,
): Promise<Result> {
  for (const request of requests) await assertSameAnswers(servers, request);
  const load = { connections: CLIENTS, seconds, requests };
  const standings = await inTurns(
    servers.map((server) => loaded(server.name, server, load)),
    rounds,
  );
  return { standings, verdicts: verdictsOf(standings) };
}

function verdictsOf(standings: readonly Standing[]): Verdict[] {
  const rate = (name: string): number => figureOf(standings, name, "requests/s");
  const toBare = ratioOf(standings, DROVER, "requests/s");
  const toCeiling = rate(DROVER) / rate(PASSED_THROUGH);
  return [
    { says: "requests/s to bare", value: toBare, unit: "×", atLeast: 1.5 },
    { says: "requests/s to the ceiling", value: toCeiling, unit: "×", atLeast: 0.9 },
  ];
}

/** What is compared must do the same work. */
async function assertSameAnswers(servers: readonly ServerProcess[], request: LoadRequest): Promise<void> {
  const [first, ...others] = await Promise.all(servers.map((server) => answerOf(server, request)));
  for (const other of others) assert.deepEqual(other, first, "all servers give the same answer");
}
