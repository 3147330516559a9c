// Benchmark: the candidates of an evacuation of 1,000 guests over GraphQL, beside asking their host the same questions by hand.
import type { Pool } from "pg";
import { Pool as HttpPool, request } from "undici";
import { z } from "zod";
import pLimit from "p-limit";
import { withBenchDatabase, type BenchDatabase } from "../database.js";
import { figureOf, inTurns, ratioOf, timed, type Benchmark, type Result } from "../frame.js";
import { answerOf, graphqlRequest } from "../load/load.js";
import { storeToken } from "../seed/token.js";
import { HOST_TOKEN, SIMULATED_HOST } from "../server/platform.js";
import { withServers, type ServerProcess } from "../server/process.js";

const SERVICE = "the candidates of an evacuation";
const BY_HAND = "the same questions to their host, bare";
/** Guests at once, as the service plans them. */
const GUESTS_AT_ONCE = 8;
/** However long filling and waiting take: no inventory and no agent is too old to be trusted. */
const LATER = "now() + interval '1 day'";

export const evacuation: Benchmark = {
  name: "evacuation",
  title: `candidates of an evacuation of ${SIMULATED_HOST.guests} guests on ${SIMULATED_HOST.nodes} nodes over GraphQL beside asking their host the same`,
  longestSeconds: 300,
  run: ({ rounds }) =>
    withBenchDatabase((database) =>
      withServers(["simulated fleet"], database, async ([platform]) => {
        await fill(database, platform);
        const token = await storeToken(database.pool, { permissions: ["hosts.manage"] });
        return withServers(["drover"], database, ([server]) => compare({ database, server, token }, rounds));
      }),
    ),
};

/** Two hosts, of which the second has room for the guests of the first. */
async function fill(database: BenchDatabase, platform: ServerProcess | undefined): Promise<void> {
  for (let host = 0; host < 2; host++) await order(platform, "/add");
  await withServers(["inventory"], database, ([inventory]) => order(inventory, "/again"));
  const { pool } = database;
  await pool.query(`insert into agent (node_id, token_hash, version, healthy, nat_configured, last_seen_at)
    select id, 'agent ' || id, '1.0.0', true, true, ${LATER} from node`);
  await pool.query(`update host set last_sync_at = ${LATER}`);
  await pool.query("update node set memory_mb = memory_used_mb + 1024 * 1024");
  // Agents that answer at once.
  await pool.query(`create function answer() returns trigger language plpgsql as $$ begin
    new.status := 'done'; new.data := '{"reachable": true}'; new.finished_at := now(); return new; end $$`);
  await pool.query(`create trigger answer before insert on agent_job for each row execute function answer()`);
}

async function order(server: ServerProcess | undefined, path: string): Promise<void> {
  if (server === undefined) throw new Error("no server was started");
  const { body } = await request(server.url + path, { method: "POST", headersTimeout: 0, bodyTimeout: 0 });
  await body.dump();
}

interface Parts {
  readonly database: BenchDatabase;
  readonly server: ServerProcess | undefined;
  readonly token: string;
}

async function compare({ database: { pool }, server, token }: Parts, rounds: number): Promise<Result> {
  if (server === undefined) throw new Error("no server was started");
  const guests = await guestsOfFirst(pool);
  const standings = await inTurns(
    [
      { name: BY_HAND, measure: async () => ({ ms: await timed(() => askByHand(pool, guests)) }) },
      { name: SERVICE, measure: () => candidates(server, token) },
    ],
    rounds,
  );
  return {
    standings,
    verdicts: [
      {
        says: "time of the candidates to that of the bare questions",
        value: ratioOf(standings, SERVICE, "ms"),
        unit: "×",
        atMost: 2,
      },
      {
        says: "statements for 1,000 guests",
        value: figureOf(standings, SERVICE, "statements"),
        unit: "statements",
        atMost: 1_000,
      },
    ],
    notes: [
      "Two statements are for each pair of nodes that guests go between, whatever their number: an agent tries the way.",
    ],
  };
}

interface Guest {
  readonly type: string;
  readonly node: string;
  readonly vmid: number;
}

const guestsOfFirst = async (pool: Pool): Promise<Guest[]> =>
  (
    await pool.query<Guest>(
      `select g.type, n.name as node, g.vmid from guest g join node n on n.id = g.node_id where g.host_id = 1 order by g.vmid`,
    )
  ).rows;

const startable = z.object({
  data: z.object({
    evacuationCandidates: z.array(z.object({ startable: z.literal(true) })).length(SIMULATED_HOST.guests),
  }),
});

/** @throws Error when not all guests could go */
async function candidates(server: ServerProcess, token: string) {
  const query = `{ evacuationCandidates(hostId: 1, targetHostId: 2) {
    guest { id vmid name } toHostId toNode mode startable expectedSeconds problems { code message } ipPlan { kind } } }`;
  const { statements: before } = await server.use();
  const ms = await timed(async () => startable.parse(await answerOf(server, graphqlRequest(token, query))));
  return { ms, statements: (await server.use()).statements - before };
}

/** What only a guest's host knows. */
async function askByHand(pool: Pool, guests: readonly Guest[]): Promise<void> {
  const { rows } = await pool.query<{ port: number }>("select port from host where id = 1");
  const source = new HttpPool(`https://127.0.0.1:${rows[0]?.port}`, {
    connections: GUESTS_AT_ONCE,
    connect: { rejectUnauthorized: false },
  });
  await pLimit(GUESTS_AT_ONCE).map(guests, async ({ type, node, vmid }) => {
    const guest = `/nodes/${node}/${type}/${vmid}`;
    await Promise.all([
      ...[`${guest}/config?current=1`, `${guest}/config`, `${guest}/status/current`, `${guest}/snapshot`].map((path) =>
        get(source, path),
      ),
      get(source, `/nodes/${node}/tasks?source=active&vmid=${vmid}`),
      get(source, `/nodes/${node}/replication?guest=${vmid}`),
    ]);
  });
  await source.close();
}

async function get(host: HttpPool, path: string): Promise<void> {
  const headers = { Authorization: `PVEAPIToken=${HOST_TOKEN}` };
  const { statusCode, body } = await host.request({ method: "GET", path: `/api2/json${path}`, headers });
  await body.json();
  if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`);
}
