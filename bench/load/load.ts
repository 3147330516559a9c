// Measures a server under load over HTTP: requests a second, latency, and CPU time a request.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Contestant, Figures } from "../frame.js";
import type { ServerProcess } from "../server/process.js";

const program = fileURLToPath(new URL("main.js", import.meta.url));

/** One request as it is sent again and again. */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Each connection sends them in turns. */
  readonly requests: readonly LoadRequest[];
}

const loadReport = z.object({
  requests: z.number(),
  seconds: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
  failures: z.number(),
  firstFailure: z.string().nullable(),
});

export type LoadReport = z.infer<typeof loadReport>;

/** A contestant that is a server under this load. */
export const loaded = (name: string, server: ServerProcess, load: Omit<Load, "url">): Contestant => ({
  name,
  measure: () => measure(server, { ...load, url: server.url }),
});

/** @throws Error when any answer was no success */
async function measure(server: ServerProcess, load: Load): Promise<Figures> {
  const before = await server.use();
  const { requests, seconds, p50Ms, p99Ms, failures, firstFailure } = await run(load);
  const after = await server.use();
  if (failures > 0) throw new Error(`${server.name}: ${failures} of ${requests} requests failed: ${firstFailure}`);
  return {
    "requests/s": requests / seconds,
    "p50 ms": p50Ms,
    "p99 ms": p99Ms,
    "CPU µs": (after.cpu - before.cpu) / requests,
    "with PostgreSQL": (after.cpuOfAll - before.cpuOfAll) / requests,
  };
}

async function run(load: Load): Promise<LoadReport> {
  const child = fork(program);
  child.send(load);
  const [message] = await Promise.race([once(child, "message"), ended(child)]);
  return loadReport.parse(message);
}

async function ended(child: ChildProcess): Promise<never> {
  const [code] = await once(child, "exit");
  throw new Error(`The load ended with exit code ${String(code)} before it told how it went`);
}

/** The headers of a caller with this token. */
export const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });

/** A GraphQL operation as a request. */
export const graphqlRequest = (token: string, query: string, variables: object = {}): LoadRequest => ({
  method: "POST",
  path: "/graphql",
  headers: { ...bearer(token), "Content-Type": "application/json" },
  body: JSON.stringify({ query, variables }),
});

/** The answer to one request as parsed JSON, so that contestants' answers can be compared. */
export async function answerOf({ url }: ServerProcess, { method, path, headers, body }: LoadRequest): Promise<unknown> {
  const response = await fetch(url + path, { method, headers: { ...headers }, ...(body && { body }) });
  return response.json();
}

/**
 * Receives the answer to a GET to its last byte, and nothing more: what a caller does with it is not the server's.
 * @throws Error when it is no success
 */
export async function receive({ url }: ServerProcess, { path, headers }: LoadRequest): Promise<void> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url + path, { headers }, resolve).once("error", reject);
  });
  await finished(response.resume());
  if (response.statusCode !== 200) throw new Error(`${path} was answered ${response.statusCode}`);
}
