// Benchmark: what many tokens at ordinary load lose to one that asks as fast as it can.
import { setTimeout as delay } from "node:timers/promises";
import { withBenchDatabase } from "../database.js";
import { inTurns, ratioOf, type Benchmark, type Effort, type Figures, type Result } from "../frame.js";
import { flood } from "../hostile/attacks.js";
import { OrdinaryCallers, type Errand } from "../hostile/callers.js";
import { bearer, graphqlRequest, type LoadRequest } from "../load/load.js";
import { fillFleet } from "../seed/fleet.js";
import { storeToken } from "../seed/token.js";
import { withServers } from "../server/process.js";

const TOKENS = 50;
/** Between an answer and the next request of a token: about four requests a second. */
const PAUSE_MS = 250;
const GREEDY_CONNECTIONS = 64;
/** The greedy one is at it for so long before anything is measured, and so long the service rests after it. */
const BEFORE_MS = 500;
const AFTER_MS = 500;

const ALONE = `${TOKENS} tokens alone`;
const PATH = "/api/v1/hosts/1/guests";
const WHOLE_PAGE = "{ guests(perPage: 200) { items { id name status cores memoryMb } meta { total } } }";

/** What the greedy one asks, by the name of the contestant. */
const GREED: Readonly<Record<string, (token: string) => LoadRequest>> = {
  "beside one that reads a page of REST": (token) => ({ method: "GET", path: PATH, headers: bearer(token) }),
  "beside one that reads 200 guests by GraphQL": (token) => graphqlRequest(token, WHOLE_PAGE),
};

export const greedy: Benchmark = {
  name: "greedy",
  title: `${TOKENS} tokens at ordinary load, beside one that asks over ${GREEDY_CONNECTIONS} connections as fast as it can`,
  longestSeconds: 300,
  run: (effort) =>
    withBenchDatabase(async (database) => {
      const { pool } = database;
      await fillFleet(pool, { hosts: 2, nodesPerHost: 10, guests: 1_000, history: false });
      const tokens = await Promise.all(Array.from({ length: TOKENS }, () => storeToken(pool)));
      const token = await storeToken(pool);
      return withServers(["drover"], database, async ([server]) => {
        if (server === undefined) throw new Error("no server was started");
        const callers = new OrdinaryCallers();
        try {
          return await compare({ url: server.url, callers, errands: tokens.map(errandOf), token }, effort);
        } finally {
          await callers.leave();
        }
      });
    }),
};

const errandOf = (token: string, index: number): Errand => ({
  name: `token ${index}`,
  request: { method: "GET", path: PATH, headers: bearer(token) },
  pauseMs: PAUSE_MS,
  connectsAnew: false,
});

interface Stage {
  readonly url: string;
  readonly callers: OrdinaryCallers;
  readonly errands: readonly Errand[];
  /** The greedy one's. */
  readonly token: string;
}

async function compare(stage: Stage, { rounds, seconds }: Effort): Promise<Result> {
  const beside = (request: LoadRequest) => async (): Promise<Figures> => {
    const end = await flood(stage.url, GREEDY_CONNECTIONS, request);
    try {
      await delay(BEFORE_MS);
      return await ordinary(stage, seconds);
    } finally {
      await end();
      await delay(AFTER_MS);
    }
  };
  const contestants = Object.entries(GREED).map(([name, request]) => ({ name, measure: beside(request(stage.token)) }));
  const standings = await inTurns([{ name: ALONE, measure: () => ordinary(stage, seconds) }, ...contestants], rounds);
  return {
    standings,
    verdicts: contestants.map(({ name }) => ({
      says: `${name}: answers a second, to those alone`,
      value: ratioOf(standings, name, "answers/s"),
      unit: "×" as const,
      atLeast: 0.8,
    })),
  };
}

/** @throws Error when a request of the ordinary ones fails */
async function ordinary({ url, callers, errands }: Stage, seconds: number): Promise<Figures> {
  const reports = await callers.measure({ url, seconds, errands });
  const failures = reports.reduce((sum, report) => sum + report.failures, 0);
  if (failures > 0) throw new Error(`${failures} requests at ordinary load failed`);
  const asked = reports.reduce((sum, report) => sum + report.asked, 0);
  return { "answers/s": asked / seconds, "worst p99 ms": Math.max(...reports.map(({ p99Ms }) => p99Ms)) };
}
