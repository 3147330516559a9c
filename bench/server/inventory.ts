// The service's inventory alone: syncs all hosts when it is asked to, and tells what that took beside parsing the same answers.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setTimeout as delay } from "node:timers/promises";
import type { ServerResponse } from "node:http";
import type { Pool } from "pg";
import { loadHostConnection } from "../../src/actions/host/hostConnection.js";
import type { Services } from "../../src/context.js";
import { createHypervisors } from "../../src/hypervisor/hypervisors.js";
import { inParallel } from "../../src/inventory/inParallel.js";
import { syncHost } from "../../src/inventory/syncHost.js";
import { openBenchParts } from "./parts.js";
import { serve } from "./serve.js";

/** More would only wait for the process that plays the hosts. */
const SYNCS_AT_ONCE = 4;
const LOOK_MS = 20;
/** Parsing is short: it is measured over so many times. */
const PARSES = 5;
/** What undici publishes with every part of an answer. */
const RECEIVED = "undici:request:bodyChunkReceived";

/** What a sync of all hosts took. CPU times are of the whole process, milliseconds. */
export interface SyncUse {
  readonly syncCpuMs: number;
  /** Of `JSON.parse` of the same answers. */
  readonly parseCpuMs: number;
  readonly answers: number;
  readonly megabytes: number;
}

/** Resident memory of the process, bytes. */
export interface SyncMemory {
  /** Before it has synced anything. */
  readonly idle: number;
  /** The most while it synced all hosts, reading what is stored at first. */
  readonly most: number;
  /** Afterwards, when garbage is collected. */
  readonly after: number;
}

/**
 * @returns its base URL: `/first` forgets all guests and nodes and syncs, `/again` syncs; the answer is a `SyncUse`. `/memory`
 *   syncs twice and answers with a `SyncMemory`
 */
export async function startInventory(databaseUrl: string): Promise<string> {
  const { services: parts } = await openBenchParts(databaseUrl);
  const { pool, secrets } = parts;
  const hypervisors = createHypervisors((hostId) => loadHostConnection({ pool, secrets }, hostId));
  const services: Services = { ...parts, hypervisors };
  return serve(({ url }, response) => void answer(url, response));

  async function answer(url: string | undefined, response: ServerResponse): Promise<void> {
    if (url === "/first") await forget(pool);
    const measured = url === "/memory" ? await measureMemory(services) : await measureSync(services);
    response.end(JSON.stringify(measured));
  }
}

async function measureMemory(services: Services): Promise<SyncMemory> {
  const idle = await resident();
  let most = idle;
  const look = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), LOOK_MS);
  for (let time = 0; time < 2; time++) await syncAll(services);
  clearInterval(look);
  return { idle, most, after: await resident() };
}

/** What is freed by the first collection is given back by the second. */
async function resident(): Promise<number> {
  globalThis.gc?.();
  await delay(LOOK_MS);
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

async function syncAll(services: Services): Promise<void> {
  const { rows: hosts } = await services.pool.query<{ id: number }>("select id from host order by id");
  await inParallel(hosts, SYNCS_AT_ONCE, ({ id }) => syncHost(services, id));
}

const forget = (pool: Pool): Promise<unknown> =>
  pool.query("truncate node, guest cascade; update host set last_sync_at = null");

async function measureSync(services: Services): Promise<SyncUse> {
  const answers = new Map<object, Buffer[]>();
  const keep = (message: unknown): void => {
    if (isPart(message)) answers.set(message.request, [...(answers.get(message.request) ?? []), message.chunk]);
  };
  globalThis.gc?.();
  subscribe(RECEIVED, keep);
  const syncCpuMs = await cpuOf(() => syncAll(services));
  unsubscribe(RECEIVED, keep);
  const texts = [...answers.values()].map((parts) => Buffer.concat(parts).toString("utf8"));
  globalThis.gc?.();
  const parseCpuMs = (await cpuOf(() => parseAll(texts))) / PARSES;
  const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1024 ** 2;
  return { syncCpuMs, parseCpuMs, answers: texts.length, megabytes };
}

function isPart(message: unknown): message is { readonly request: object; readonly chunk: Buffer } {
  if (typeof message !== "object" || message === null || !("request" in message && "chunk" in message)) return false;
  return typeof message.request === "object" && message.chunk instanceof Uint8Array;
}

function parseAll(texts: readonly string[]): void {
  for (let time = 0; time < PARSES; time++) for (const text of texts) JSON.parse(text);
}

async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
