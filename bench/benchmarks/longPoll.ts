// Benchmark: the memory that thousands of agents take which wait for work, beside a bare server that keeps as many requests waiting.
import { execFileSync } from "node:child_process";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import { withBenchDatabase } from "../database.js";
import type { Benchmark, Result, Standing } from "../frame.js";
import { heartbeatOf } from "../load/heartbeat.js";
import type { LoadRequest } from "../load/load.js";
import { fillFleet } from "../seed/fleet.js";
import { withServers, type ServerProcess } from "../server/process.js";

const WANTED = 10_000;
/** Files that both processes have open besides. */
const OTHER_FILES = 500;
const CONNECTING_AT_ONCE = 200;
const WAIT_SECONDS = 60;
const MB = 1024 ** 2;

export const longPoll: Benchmark = {
  name: "long-poll",
  title: "memory of agents that wait for work beside a bare server with as many requests open",
  longestSeconds: 240,
  run: () =>
    withBenchDatabase(async (database) => {
      const { pool } = database;
      const agents = Math.min(WANTED, openFiles() - OTHER_FILES);
      await fillFleet(pool, { hosts: Math.ceil(agents / 20), nodesPerHost: 20, guests: 1_000, history: false });
      const standings = [
        await withServers(["requests held, bare"], database, ([bare]) => hold(bare, agents, () => delay(1_000))),
        await withServers(["drover"], database, ([drover]) => hold(drover, agents, () => allSeen(pool, agents))),
      ];
      return resultOf(standings, agents);
    }),
};

/** How many files a process may have open: each waiting agent is one, on both sides. */
const openFiles = (): number => Number(execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }));

async function hold(
  server: ServerProcess | undefined,
  agents: number,
  settled: () => Promise<unknown>,
): Promise<Standing> {
  if (server === undefined) throw new Error("no server was started");
  const before = await server.use();
  const sockets = await knock(server, agents);
  await settled();
  const { memory } = await server.use();
  for (const socket of sockets) socket.destroy();
  const figures = { agents, "resident MB": memory / MB, "KB an agent": (memory - before.memory) / agents / 1024 };
  return { name: server.name, figures, ratios: {} };
}

async function knock({ url }: ServerProcess, agents: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let first = 1; first <= agents; first += CONNECTING_AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(CONNECTING_AT_ONCE, agents - first + 1) },
      (_, index) => first + index,
    );
    sockets.push(...(await Promise.all(numbers.map((node) => open(new URL(url), heartbeatOf(node, WAIT_SECONDS))))));
  }
  return sockets;
}

function open({ hostname, port }: URL, { path, headers, body = "" }: LoadRequest): Promise<Socket> {
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`, () => resolve(socket));
    });
    socket.once("error", reject).resume();
  });
}

/** Every beat is on record: from then on its agent waits. */
async function allSeen(pool: Pool, agents: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ count: number }>(
      "select count(*) as count from agent where last_seen_at > (select max(created_at) from node)",
    );
    if ((rows[0]?.count ?? 0) >= agents) return;
    await delay(200);
  }
}

function resultOf(standings: readonly Standing[], agents: number): Result {
  const memory = standings.find(({ name }) => name === "drover")?.figures["resident MB"] ?? Number.NaN;
  const few = agents < WANTED ? [`only ${agents} agents: a process may not have more files open here`] : [];
  return {
    standings,
    verdicts: [{ says: `resident with ${agents} agents waiting`, value: memory, unit: "MB", atMost: 400 }],
    notes: few,
  };
}
