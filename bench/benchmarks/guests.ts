// Benchmark: a page of guests over REST v1 beside handlers written by hand on the same rows.
import assert from "node:assert/strict";
import { withBenchDatabase } from "../database.js";
import { figureOf, inTurns, ratioOf, type Benchmark, type Effort, type Result } from "../frame.js";
import { answerOf, bearer, loaded, type LoadRequest } from "../load/load.js";
import { fillGuests, PAGE_PATH } from "../server/guestPage.js";
import { withServers, type ServerProcess } from "../server/process.js";

const PLAIN = "guests, plain";
const PASSED_THROUGH = "guests, passed through";
const SERVERS = [PLAIN, "guests, tuned", PASSED_THROUGH, "drover"];
const CONNECTIONS = 16;

export const guests: Benchmark = {
  name: "guests",
  title: "50 guests over REST v1 beside node:http + pg, token check and request log on",
  longestSeconds: 240,
  run: (effort) =>
    withBenchDatabase(async (database) => {
      const { pool } = database;
      const token = await fillGuests(pool);
      const request: LoadRequest = { method: "GET", path: PAGE_PATH, headers: bearer(token) };
      return withServers(SERVERS, database, (servers) => compare(servers, request, effort));
    }),
};

async function compare(
  servers: readonly ServerProcess[],
  request: LoadRequest,
  { rounds, seconds }: Effort,
): Promise<Result> {
  await assertSameAnswers(servers, request);
  const load = { connections: CONNECTIONS, seconds, requests: [request] };
  const standings = await inTurns(
    servers.map((server) => loaded(server.name, server, load)),
    rounds,
  );
  const rate = (name: string): number => figureOf(standings, name, "requests/s");
  return {
    standings,
    verdicts: [
      { says: "requests/s to bare", value: ratioOf(standings, "drover", "requests/s"), unit: "×", atLeast: 1.5 },
      { says: "requests/s to the ceiling", value: rate("drover") / rate(PASSED_THROUGH), unit: "×", atLeast: 0.9 },
    ],
  };
}

/** What is compared must do the same work. */
async function assertSameAnswers(servers: readonly ServerProcess[], request: LoadRequest): Promise<void> {
  const [first, ...others] = await Promise.all(servers.map((server) => answerOf(server, request)));
  for (const other of others) assert.deepEqual(other, first, "all servers give the same answer");
}
