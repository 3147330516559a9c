// Benchmark: hosts with their nodes, agents and storages, and guests with theirs, in one operation, beside one statement written by hand.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { withBenchDatabase } from "../database.js";
import { inTurns, median, ratioOf, timed, type Benchmark, type Effort, type Figures, type Result } from "../frame.js";
import { answerOf, graphqlRequest } from "../load/load.js";
import { fillFleet } from "../seed/fleet.js";
import { storeToken } from "../seed/token.js";
import { withServers, type ServerProcess } from "../server/process.js";

const FLEET = { hosts: 50, nodesPerHost: 4, guests: 10_000, history: false };
/** In one turn, one after the other. */
const REQUESTS = 10;

const QUERY = `query ($perPage: Int!) {
  hosts(perPage: $perPage) { items { id name maintenance guestCount
    nodes { name cpuUsage memoryMb memoryUsedMb guestCount agent { version healthy } storages { name totalBytes freeBytes } } } }
  guests(perPage: 200) { items { id vmid name node tags cores memoryMb ipAddresses host { name } plan { name } owner { username } } }
}`;

/** The same answer, as somebody would write it who wants nothing else. */
const BY_HAND = `
  select json_build_object('data', json_build_object(
    'hosts', json_build_object('items', (select json_agg(h) from (
      select h.id, h.name, h.maintenance,
        (select count(*) from guest g where g.host_id = h.id and g.gone_at is null) as "guestCount",
        (select json_agg(n) from (
          select n.name, n.cpu_usage as "cpuUsage", n.memory_mb as "memoryMb", n.memory_used_mb as "memoryUsedMb",
            (select count(*) from guest g where g.node_id = n.id and g.gone_at is null and not g.safety_copy) as "guestCount",
            (select json_build_object('version', a.version, 'healthy', a.healthy) from agent a where a.node_id = n.id) as agent,
            (select json_agg(json_build_object('name', s.name, 'totalBytes', s.total_bytes, 'freeBytes', s.free_bytes) order by s.name)
              from storage s where s.node_id = n.id) as storages
          from node n where n.host_id = h.id order by n.name) n) as nodes
      from host h order by h.id limit $1) h)),
    'guests', json_build_object('items', (select json_agg(g) from (
      select g.id, g.vmid, g.name, n.name as node, g.tags, g.cores, g.memory_mb as "memoryMb",
        array(select host(a.address) from ip_address a where a.guest_id = g.id order by 1) as "ipAddresses",
        json_build_object('name', h.name) as host, json_build_object('name', p.name) as plan,
        json_build_object('username', u.username) as owner
      from guest g join node n on n.id = g.node_id join host h on h.id = g.host_id left join plan p on p.id = g.plan_id
        left join user_account u on u.id = g.owner_id
      where g.gone_at is null order by g.host_id, g.vmid limit 200) g))))::text as json`;

export const nested: Benchmark = {
  name: "nested",
  title: "50 hosts with nodes, agents and storages, and 200 guests, over GraphQL beside one statement by hand",
  longestSeconds: 240,
  run: (effort) =>
    withBenchDatabase(async (database) => {
      const { pool } = database;
      await fillFleet(pool, FLEET);
      const token = await storeToken(pool, { permissions: ["hosts.manage"] });
      return withServers(["drover"], database, ([server]) => {
        if (server === undefined) throw new Error("no server was started");
        return compare({ server, pool, token }, effort);
      });
    }),
};

interface Parts {
  readonly server: ServerProcess;
  readonly pool: Pool;
  readonly token: string;
}

async function compare(parts: Parts, { rounds }: Effort): Promise<Result> {
  assert.deepEqual(await overGraphql(parts, 50), await byHand(parts, 50), "both give the same answer");
  const standings = await inTurns(
    [
      { name: "one statement by hand", measure: () => repeated(() => byHand(parts, 50)) },
      { name: "GraphQL over HTTP", measure: () => repeated(() => overGraphql(parts, 50)) },
    ],
    rounds,
  );
  const few = await statements(parts, 5);
  return {
    standings,
    verdicts: [
      { says: "time to the statement's", value: ratioOf(standings, "GraphQL over HTTP", "ms"), unit: "×", atMost: 2 },
      { says: "statements for 50 hosts", value: await statements(parts, 50), unit: "statements", atMost: few },
    ],
    notes: [`for 5 hosts: ${few} statements; a root field is one, however deep it goes`],
  };
}

async function repeated(work: () => Promise<unknown>): Promise<Figures> {
  const times: number[] = [];
  for (let request = 0; request < REQUESTS; request++) times.push(await timed(work));
  return { ms: median(times) };
}

const overGraphql = ({ server, token }: Parts, perPage: number): Promise<unknown> =>
  answerOf(server, graphqlRequest(token, QUERY, { perPage }));

async function byHand({ pool }: Parts, perPage: number): Promise<unknown> {
  const { rows } = await pool.query<{ json: string }>({ name: "by hand", text: BY_HAND, values: [perPage] });
  return JSON.parse(rows[0]?.json ?? "null");
}

/** How many the service sends for one operation; now and then it writes its request log besides, which is left out. */
async function statements(parts: Parts, perPage: number): Promise<number> {
  const before = await parts.server.use();
  for (let request = 0; request < REQUESTS; request++) await overGraphql(parts, perPage);
  const { statements: after } = await parts.server.use();
  return Math.floor((after - before.statements) / REQUESTS);
}
