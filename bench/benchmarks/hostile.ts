// Benchmark: what ordinary callers wait while somebody attacks the service, beside what they wait while nobody does.
import { setTimeout as delay } from "node:timers/promises";
import { withBenchDatabase } from "../database.js";
import {
  figureOf,
  inTurns,
  type Benchmark,
  type Effort,
  type Figures,
  type Result,
  type Standing,
  type Verdict,
} from "../frame.js";
import { ATTACKS, type Attack, type Target } from "../hostile/attacks.js";
import { OrdinaryCallers, type Errand } from "../hostile/callers.js";
import { heartbeatOf } from "../load/heartbeat.js";
import { bearer, graphqlRequest, type LoadRequest } from "../load/load.js";
import { fillFleet } from "../seed/fleet.js";
import { storeToken } from "../seed/token.js";
import { withServers, type ServerProcess } from "../server/process.js";

const FLEET = { hosts: 2, nodesPerHost: 10, guests: 1_000, history: false };
const BLIND_TOKENS = 8;
/** An attack is under way for so long before anything is measured, and so long the service rests after it. */
const BEFORE_MS = 1_000;
const AFTER_MS = 2_000;
/** A turn is so many times as long as that of other benchmarks. */
const LONGER = 3;

const QUIET = "quiet";
const MB = 1024 * 1024;
/** What a p99 may be, beside three times that of a quiet service: the attackers compute on the same processors. */
const ALLOWED_MS = 50;

export const hostile: Benchmark = {
  name: "hostile",
  title: "ordinary callers while somebody attacks the service",
  longestSeconds: 1_500,
  run: (effort) =>
    withBenchDatabase(async (database) => {
      const { pool } = database;
      await fillFleet(pool, FLEET);
      const token = await storeToken(pool, { permissions: ["hosts.manage"] });
      const blindTokens = await Promise.all(Array.from({ length: BLIND_TOKENS }, () => storeToken(pool)));
      await pool.query(`update api_token set connection_scope = '{999}' where name = 'bench' and permissions = '{}'`);
      return withServers(["drover"], database, async ([server]) => {
        if (server === undefined) throw new Error("no server was started");
        const callers = new OrdinaryCallers();
        try {
          const target = { url: server.url, database: pool, token, blindTokens };
          return await compare({ server, callers, target }, effort);
        } finally {
          await callers.leave();
        }
      });
    }),
};

interface Stage {
  readonly server: ServerProcess;
  readonly callers: OrdinaryCallers;
  readonly target: Target;
}

async function compare(stage: Stage, { rounds, seconds }: Effort): Promise<Result> {
  const attacks: readonly (readonly [string, Attack])[] = [
    [QUIET, async () => async () => undefined],
    ...Object.entries(ATTACKS),
  ];
  const standings = await inTurns(
    attacks.map(([name, attack]) => ({ name, measure: () => during(stage, attack, seconds * LONGER) })),
    rounds,
  );
  return { standings, verdicts: Object.keys(ATTACKS).flatMap((name) => verdictsOf(standings, name)) };
}

async function during({ server, callers, target }: Stage, attack: Attack, seconds: number): Promise<Figures> {
  const before = await server.use();
  const end = await attack(target);
  try {
    await delay(BEFORE_MS);
    const reports = await callers.measure({ url: target.url, seconds, errands: errandsOf(target.token) });
    const after = await server.use();
    const waits = reports.map(({ name, p99Ms }) => [name, p99Ms] as const);
    const failures = reports.reduce((sum, report) => sum + report.failures, 0);
    return { ...Object.fromEntries(waits), "MB more": (after.memory - before.memory) / MB, failures };
  } finally {
    await end();
    await delay(AFTER_MS);
  }
}

const WAITS = ["reads", "GraphQL", "heartbeats", "sign-in"] as const;
const HEALTH = "/healthz";

function errandsOf(token: string): readonly Errand[] {
  const health: LoadRequest = { method: "GET", path: HEALTH, headers: {} };
  const read: LoadRequest = { method: "GET", path: "/api/v1/hosts/1/guests", headers: bearer(token) };
  const signIn = graphqlRequest(
    "",
    `mutation { login(username: "admin", password: "a password of the benchmarks") { token } }`,
  );
  const errand = (name: string, request: LoadRequest, pauseMs: number): Errand => ({
    name,
    request,
    pauseMs,
    connectsAnew: name === HEALTH,
  });
  return [
    errand("reads", read, 20),
    errand("GraphQL", graphqlRequest(token, "{ hosts { items { id name } } guests { items { id name status } } }"), 20),
    errand("heartbeats", heartbeatOf(2), 20),
    errand("sign-in", { ...signIn, headers: { "Content-Type": "application/json" } }, 200),
    errand(HEALTH, health, 20),
  ];
}

function verdictsOf(standings: readonly Standing[], name: string): readonly Verdict[] {
  const of = (figure: string): number => figureOf(standings, name, figure);
  const quiet = (figure: string): number => figureOf(standings, QUIET, figure);
  const worst = Math.max(...WAITS.map((figure) => (of(figure) - ALLOWED_MS) / quiet(figure)));
  return [
    { says: `${name}: the worst p99, ${ALLOWED_MS} ms less, to the quiet one`, value: worst, unit: "×", atMost: 3 },
    { says: `${name}: ${HEALTH}, p99 above the quiet one`, value: of(HEALTH) - quiet(HEALTH), unit: "ms", atMost: 100 },
    { says: `${name}: ordinary requests that failed`, value: of("failures"), unit: "requests", atMost: 0 },
    { says: `${name}: memory`, value: of("MB more"), unit: "MB", atMost: 300 },
  ];
}
