// What one caller, one host or one address can do to a service: each attack goes on until it is ended.
import { once } from "node:events";
import { createServer } from "node:https";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Pool as Database } from "pg";
import { Pool } from "undici";
import { WebSocket } from "ws";
import { makeHostCertificates } from "../../simulator/transport/certificates.js";
import { bearer, graphqlRequest, type LoadRequest } from "../load/load.js";
import { heartbeatOf } from "../load/heartbeat.js";
import { agentToken } from "../seed/fleet.js";

/** All attacks come from here, ordinary callers from 127.0.0.1. */
const ATTACKER = "127.0.0.2";

/** The service, and what the attackers have. */
export interface Target {
  readonly url: string;
  readonly database: Database;
  /** Of a program that manages hosts. */
  readonly token: string;
  /** Of programs that see no guest. */
  readonly blindTokens: readonly string[];
}

/** Begins it. @returns what ends it */
export type Attack = (target: Target) => Promise<() => Promise<void>>;

export const ATTACKS: Readonly<Record<string, Attack>> = {
  "lists of 16,000 ids": ({ url, token }) => flood(url, 16, longList(token)),
  "lists of 16,000 ids over WebSockets": (target) => askOverSockets(target, LONG_LIST, { ids: IDS }),
  "2,000 half-sent bodies": (target) => halfSent(target, { sockets: 2000, bytes: 10 }),
  "1,500 bodies of 256 KiB without their end": (target) => halfSent(target, { sockets: 1500, bytes: 256 * 1024 }),
  "heartbeats of 0.95 MB": ({ url }) => flood(url, 8, largeHeartbeat()),
  "4,000 subscriptions to guests out of sight": subscribe,
  "a host that answers brackets": hostileHost,
  "300 wrong sign-ins at once": ({ url }) => flood(url, 300, WRONG_SIGN_IN),
  "refused requests with long paths": ({ url }) => flood(url, 64, LONG_PATH),
  "300 kept connections": (target) => idle(target, 300),
};

/** Repeats a request over so many connections, whatever is answered. @returns what ends it */
export async function flood(url: string, connections: number, request: LoadRequest): Promise<() => Promise<void>> {
  const pool = new Pool(url, { connections, localAddress: ATTACKER, pipelining: 1 });
  const over = new AbortController();
  const repeat = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await pool.request({ ...request, body: request.body ?? null }).then(
        ({ body }) => body.dump({ limit: Number.POSITIVE_INFINITY }),
        () => delay(10),
      );
    }
  };
  const all = Promise.all(Array.from({ length: connections }, repeat));
  return async () => {
    over.abort();
    await pool.destroy();
    await all;
  };
}

const IDS = Array.from({ length: 16_000 }, (_, index) => index + 1);

const LONG_LIST = "query ($ids: [Int!]) { guests(filter: { hostIds: $ids }) { items { id } } }";

const longList = (token: string): LoadRequest => graphqlRequest(token, LONG_LIST, { ids: IDS });

/** As large as a body may be, of the fleet's first node. */
function largeHeartbeat(): LoadRequest {
  const beat = heartbeatOf(1);
  const problems = Array.from({ length: 950 }, (_, index) => `${index} `.padEnd(1000, "x"));
  return {
    ...beat,
    headers: { ...beat.headers, ...bearer(agentToken(1)) },
    body: JSON.stringify({ ...JSON.parse(beat.body ?? "{}"), problems }),
  };
}

const WRONG_SIGN_IN: LoadRequest = {
  method: "POST",
  path: "/graphql",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ query: 'mutation { login(username: "nobody", password: "a wrong password") { token } }' }),
};

const LONG_PATH: LoadRequest = { method: "GET", path: `/api/v1/${"x".repeat(8000)}`, headers: {} };

async function halfSent({ url }: Target, { sockets, bytes }: { readonly sockets: number; readonly bytes: number }) {
  const head = `POST /graphql HTTP/1.1\r\nHost: drover\r\nContent-Type: application/json\r\nContent-Length: ${bytes + 1000}\r\n\r\n`;
  const opened = await open(url, sockets, (socket) => socket.write(head + "x".repeat(bytes)));
  return close(opened);
}

async function idle({ url }: Target, sockets: number): Promise<() => Promise<void>> {
  return close(await open(url, sockets, (socket) => socket.write("GET /healthz HTTP/1.1\r\nHost: drover\r\n\r\n")));
}

const CONNECTING_AT_ONCE = 100;

async function open(url: string, sockets: number, then: (socket: Socket) => void): Promise<Socket[]> {
  const { port } = new URL(url);
  const opened: Socket[] = [];
  for (let count = 0; count < sockets; count += CONNECTING_AT_ONCE) {
    const some = Array.from({ length: Math.min(CONNECTING_AT_ONCE, sockets - count) }, () =>
      connect({ host: "127.0.0.1", port: Number(port), localAddress: ATTACKER }),
    );
    for (const socket of some) socket.on("error", () => undefined).resume();
    await Promise.all(some.map((socket) => Promise.race([once(socket, "connect"), once(socket, "close")])));
    for (const socket of some) then(socket);
    opened.push(...some);
  }
  return opened;
}

const close = (sockets: readonly Socket[]) => async (): Promise<void> => {
  for (const socket of sockets) socket.destroy();
};

const OPERATIONS_A_SOCKET = 100;
const SUBSCRIPTIONS_A_TOKEN = 500;
const BETWEEN_CHANGES_MS = 25;

/** Each is different, so that none is shared; guests change meanwhile. */
async function subscribe({ url, database, blindTokens }: Target): Promise<() => Promise<void>> {
  const sockets: WebSocket[] = [];
  for (const token of blindTokens) {
    for (let first = 0; first < SUBSCRIPTIONS_A_TOKEN; first += OPERATIONS_A_SOCKET) {
      sockets.push(await subscribed(url, token, first));
    }
  }
  const over = new AbortController();
  const changes = (async () => {
    while (!over.signal.aborted) {
      await database.query("update guest set cores = cores % 8 + 1 where id = (random() * 900)::int + 1");
      await delay(BETWEEN_CHANGES_MS);
    }
  })();
  return async () => {
    over.abort();
    await changes;
    for (const socket of sockets) socket.terminate();
  };
}

async function subscribed(url: string, token: string, first: number): Promise<WebSocket> {
  const socket = await connected(url, token);
  for (let number = first; number < first + OPERATIONS_A_SOCKET; number++) {
    const query = `subscription { as${number}: guestChanged { id name } }`;
    socket.send(JSON.stringify({ id: String(number), type: "subscribe", payload: { query } }));
  }
  return socket;
}

async function connected(url: string, token: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws", {
    localAddress: ATTACKER,
  });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "connection_init", payload: { authorization: `Bearer ${token}` } }));
  await once(socket, "message");
  return socket;
}

const SOCKETS = 8;
const QUERIES_A_SOCKET = 4;

/** Each query is asked again when it is answered. */
async function askOverSockets({ url, token }: Target, query: string, variables: object): Promise<() => Promise<void>> {
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => connected(url, token)));
  let id = 0;
  for (const socket of sockets) {
    const ask = (): void =>
      socket.send(JSON.stringify({ id: String(id++), type: "subscribe", payload: { query, variables } }));
    socket.on("message", (data: Buffer) => {
      if (!data.includes('"type":"next"')) ask();
    });
    for (let asked = 0; asked < QUERIES_A_SOCKET; asked++) ask();
  }
  return async () => {
    for (const socket of sockets) socket.removeAllListeners("message").terminate();
  };
}

const BRACKETS = Buffer.alloc(10_000_000, "[");

/** Somebody who manages hosts adds one again and again that answers everything with brackets. */
async function hostileHost(target: Target): Promise<() => Promise<void>> {
  const { nodes } = await makeHostCertificates(new Map([["evil", []]]));
  const own = nodes.get("evil");
  if (own === undefined) throw new Error("no certificate was made");
  const server = createServer({ cert: own.certificate, key: own.privateKey }, (_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json;charset=UTF-8" });
    response.end(BRACKETS);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the host has no port");
  const query = `mutation ($port: Int!, $fingerprint: String!) { addHost(name: "evil", hostname: "127.0.0.1", port: $port,
    user: "root@pam", tokenId: "panel", tokenSecret: "secret", tlsFingerprint: $fingerprint) { id } }`;
  const request = graphqlRequest(target.token, query, { port: address.port, fingerprint: own.fingerprint });
  const end = await flood(target.url, 2, request);
  return async () => {
    await end();
    server.closeAllConnections();
    server.close();
  };
}
