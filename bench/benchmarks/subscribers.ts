// Benchmark: thousands of subscribers of one evacuation beside a bare `ws` broadcast of the same change.
import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import { WebSocket } from "ws";
import { withBenchDatabase } from "../database.js";
import { figureOf, inTurns, percentile, type Benchmark, type Effort, type Figures, type Result } from "../frame.js";
import { fillFleet } from "../seed/fleet.js";
import { storeToken } from "../seed/token.js";
import { withServers, type ServerProcess } from "../server/process.js";

const SUBSCRIBERS = 5_000;
const CONNECTING_AT_ONCE = 100;
const KB = 1024;

const BARE = "broadcast, bare";
const SERVICE = "drover";
const QUERY = "subscription { evacuationProgress(id: 1) { id node } }";

export const subscribers: Benchmark = {
  name: "subscribers",
  title: `${SUBSCRIBERS} subscribers of one evacuation beside a bare ws broadcast`,
  longestSeconds: 300,
  run: (effort) =>
    withBenchDatabase(async (database) => {
      const { pool } = database;
      await fillFleet(pool, { hosts: 1, nodesPerHost: 2, guests: 10, history: false });
      await pool.query(
        "insert into run (kind, host_id, node, started_at) select 'evacuation', min(id), 'pve1-1', now() from host",
      );
      const token = await storeToken(pool, { permissions: ["hosts.manage"] });
      return withServers([BARE, SERVICE], database, async ([bare, service]) => {
        if (bare === undefined || service === undefined) throw new Error("no server was started");
        const audiences = [await Audience.gather(bare, null), await Audience.gather(service, token)];
        try {
          return await compare(pool, audiences, effort);
        } finally {
          for (const audience of audiences) audience.leave();
        }
      });
    }),
};

async function compare(pool: Pool, audiences: readonly Audience[], { rounds }: Effort): Promise<Result> {
  const standings = await inTurns(
    audiences.map((audience) => ({ name: audience.name, measure: () => audience.hear(pool) })),
    rounds,
  );
  const ratio = (figure: string): number => figureOf(standings, SERVICE, figure) / figureOf(standings, BARE, figure);
  return {
    standings,
    verdicts: [
      { says: "p99 of delivery to the broadcast's", value: ratio("p99 ms"), unit: "×", atMost: 4 },
      { says: "memory a subscriber to the broadcast's", value: ratio("KB each"), unit: "×", atMost: 4 },
    ],
  };
}

/** Everybody who is connected to one server. */
class Audience {
  readonly #server: ServerProcess;
  readonly #sockets: WebSocket[] = [];
  #bytesEach = Number.NaN;
  #heard: () => void = () => undefined;

  private constructor(server: ServerProcess) {
    this.#server = server;
  }

  get name(): string {
    return this.#server.name;
  }

  /** @param token of those who subscribe over GraphQL; null: a connection is enough */
  static async gather(server: ServerProcess, token: string | null): Promise<Audience> {
    const audience = new Audience(server);
    const before = await server.use();
    for (let count = 0; count < SUBSCRIBERS; count += CONNECTING_AT_ONCE) {
      await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, () => audience.#join(token)));
    }
    const after = await server.use();
    audience.#bytesEach = (after.memory - before.memory) / SUBSCRIBERS;
    return audience;
  }

  /** Changes the evacuation, and waits until everybody was told. Changes are apart, so that none is told with another. */
  async hear(pool: Pool): Promise<Figures> {
    await delay(500);
    const before = await this.#server.use();
    const times: number[] = [];
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const begin = performance.now();
    this.#heard = () => {
      if (times.push(performance.now() - begin) === SUBSCRIBERS) resolve();
    };
    await pool.query("update run set node = 'pve' || (random() * 1e9)::bigint where id = 1");
    await all;
    const after = await this.#server.use();
    return {
      "p50 ms": percentile(times, 0.5),
      "p99 ms": percentile(times, 0.99),
      "CPU µs each": (after.cpu - before.cpu) / SUBSCRIBERS,
      "KB each": this.#bytesEach / KB,
    };
  }

  leave(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  #join(token: string | null): Promise<void> {
    const url = this.#server.url.replace("http", "ws");
    const socket = token === null ? new WebSocket(url) : new WebSocket(`${url}/graphql`, "graphql-transport-ws");
    this.#sockets.push(socket);
    return new Promise((resolve, reject) => {
      socket.once("error", reject);
      socket.on("message", (data: Buffer) => this.#take(socket, data, resolve));
      socket.once("open", () => {
        if (token === null) resolve();
        else socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${token}` } }));
      });
    });
  }

  /** The first state that a subscriber is told comes with the subscription, every other one with a change. */
  #take(socket: WebSocket, data: Buffer, joined: () => void): void {
    const text = data.toString("utf8");
    if (text.includes('"connection_ack"')) {
      socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: { query: QUERY } }));
      socket.once("message", joined);
    } else if (text.includes('"error')) throw new Error(text);
    else this.#heard();
  }
}
