// Benchmark: heartbeats of many agents beside a bare handler that sends two statements for each.
import { withBenchDatabase } from "../database.js";
import { inTurns, ratioOf, type Benchmark, type Effort, type Result } from "../frame.js";
import { loaded } from "../load/load.js";
import { fillFleet } from "../seed/fleet.js";
import { withServers, type ServerProcess } from "../server/process.js";
import { heartbeatOf } from "../load/heartbeat.js";

const FLEET = { hosts: 50, nodesPerHost: 20, guests: 1_000, history: false };
const AGENTS = FLEET.hosts * FLEET.nodesPerHost;
/** A turn is so many times the usual: both sides are compiled by V8 after some ten thousand beats only. */
const LONGER = 2;

export const heartbeat: Benchmark = {
  name: "heartbeat",
  title: `heartbeats of ${AGENTS} agents beside two bare statements a beat`,
  longestSeconds: 180,
  run: (effort) =>
    withBenchDatabase(async (database) => {
      const { pool } = database;
      await fillFleet(pool, FLEET);
      return withServers(["heartbeat, bare", "drover"], database, (servers) => compare(servers, effort));
    }),
};

async function compare(servers: readonly ServerProcess[], { rounds, seconds }: Effort): Promise<Result> {
  const requests = Array.from({ length: AGENTS }, (_, index) => heartbeatOf(index + 1));
  const standings = await inTurns(
    servers.map((server) =>
      // Every agent holds a connection of its own.
      loaded(server.name, server, { connections: AGENTS, seconds: seconds * LONGER, requests }),
    ),
    rounds,
  );
  const rate = ratioOf(standings, "drover", "requests/s");
  const cpu = ratioOf(standings, "drover", "with PostgreSQL");
  return {
    standings,
    verdicts: [
      { says: "beats/s to two bare statements", value: rate, unit: "×", atLeast: 3 },
      { says: "their CPU time to a beat's, with PostgreSQL", value: 1 / cpu, unit: "×", atLeast: 3 },
    ],
    notes: ["the service logs each beat before it is answered; the bare handler logs nothing"],
  };
}
