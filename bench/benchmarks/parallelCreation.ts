// Benchmark: many creations at once over REST v1, against one, two and three processes of the service on one database.
import type { Pool } from "pg";
import { assertPromises, createAtOnce, furnish, roomOnHost, storeCrowdToken } from "../creations/crowd.js";
import { withBenchDatabase } from "../database.js";
import { inTurns, type Benchmark, type Contestant, type Effort, type Result } from "../frame.js";
import { withServers, type ServerProcess } from "../server/process.js";

const COUNTS = [50, 200];
const PROCESSES = 3;
/** Of all that ask, so many find room. */
const SHARE_WITH_ROOM = 0.8;

export const parallelCreation: Benchmark = {
  name: "parallel-creation",
  title: "50 and 200 creations at once over REST v1, 1 to 3 processes on one database, room for four fifths",
  longestSeconds: 300,
  run: (effort) =>
    withBenchDatabase(async (database) => {
      const { pool } = database;
      const token = await storeCrowdToken(pool);
      const names = Array.from({ length: PROCESSES }, () => "drover");
      return withServers(names, database, (servers) => compare(pool, servers, token, effort));
    }),
};

async function compare(
  pool: Pool,
  servers: readonly ServerProcess[],
  token: string,
  { rounds }: Effort,
): Promise<Result> {
  const contestants = COUNTS.flatMap((count) =>
    servers.map((_, index) => contestant(pool, servers.slice(0, index + 1), { token, count })),
  );
  return {
    standings: await inTurns(contestants, rounds),
    verdicts: [],
    notes: [
      "After every turn: VMIDs and addresses are distinct, no node has more than fits, exactly the rest got 409.",
      "The host's reservations are made one after the other: processes add connections and parsing, not reservations at once.",
    ],
  };
}

function contestant(
  pool: Pool,
  servers: readonly ServerProcess[],
  { token, count }: { readonly token: string; readonly count: number },
): Contestant {
  const place = { guestsANode: (count * SHARE_WITH_ROOM) / 2 };
  const crowd = { urls: servers.map(({ url }) => url), token, count };
  return {
    name: `${count} creations, ${servers.length} process${servers.length > 1 ? "es" : ""}`,
    async measure() {
      await furnish(pool, place);
      const begin = performance.now();
      const answers = await createAtOnce(crowd);
      const seconds = (performance.now() - begin) / 1000;
      await assertPromises(pool, place, crowd, answers);
      return {
        seconds,
        "answers/s": count / seconds,
        "202": roomOnHost(place),
        "409": answers.refused.length,
      };
    },
  };
}
