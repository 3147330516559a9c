// The service's inventory alone: syncs all hosts when it is asked to, and tells what that took beside the bare requests and their parse.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import pLimit from "p-limit";
import { loadHostConnection } from "../../src/actions/host/hostConnection.js";
import type { Services } from "../../src/context/context.js";
import { createHypervisors } from "../../src/hypervisor/hypervisors.js";
import { proxmoxDriver } from "../../src/hypervisor/proxmox/driver.js";
import { syncHost } from "../../src/inventory/syncHost.js";
import { askBarely, type Question } from "./bareRequests.js";
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
  /** Of the same requests by undici alone, their answers parsed. */
  readonly requestsCpuMs: number;
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
 *   syncs twice while no details of nodes are due, `/memory-of-details` while those of all are; the answer is a `SyncMemory`
 */
export async function startInventory(databaseUrl: string): Promise<string> {
  const { services: parts } = await openBenchParts(databaseUrl);
  const { pool, secrets } = parts;
  const hypervisors = createHypervisors(
    (hostId) => loadHostConnection({ pool, secrets }, hostId),
    proxmoxDriver({ isOpenAddress: () => true }),
  );
  const services: Services = { ...parts, hypervisors };
  const orders: Readonly<Record<string, () => Promise<SyncUse | SyncMemory>>> = {
    "/first": () => forget(pool).then(() => measureSync(services)),
    "/again": () => measureSync(services),
    "/memory": () => measureMemory(services, "now()"),
    "/memory-of-details": () => measureMemory(services, "null"),
  };
  return serve(({ url = "" }, response) => {
    void orders[url]?.().then((measured) => response.end(JSON.stringify(measured)));
  });
}

/** @param readAt when the details of all nodes were read, in SQL; configurations were just read */
async function measureMemory(services: Services, readAt: string): Promise<SyncMemory> {
  await services.pool.query(`update node set details_read_at = ${readAt}, sampled_at = ${readAt}`);
  await services.pool.query("update guest set config_read_at = now()");
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
  await pLimit(SYNCS_AT_ONCE).map(hosts, ({ id }) => syncHost(services, id));
}

const forget = (pool: Pool): Promise<unknown> =>
  pool.query("truncate node, guest cascade; update host set last_sync_at = null");

async function measureSync(services: Services): Promise<SyncUse> {
  const answers = new Map<Question, Buffer[]>();
  const keep = (message: unknown): void => {
    if (isPart(message)) answers.set(message.request, [...(answers.get(message.request) ?? []), message.chunk]);
  };
  globalThis.gc?.();
  subscribe(RECEIVED, keep);
  const syncCpuMs = await cpuOf(() => syncAll(services));
  unsubscribe(RECEIVED, keep);
  const questions = Array.from(answers.keys(), ({ origin, path, headers }) => ({ origin, path, headers }));
  const texts = Array.from(answers.values(), (parts) => Buffer.concat(parts).toString("utf8"));
  answers.clear();
  globalThis.gc?.();
  const requestsCpuMs = await cpuOf(() => askBarely(questions, SYNCS_AT_ONCE));
  globalThis.gc?.();
  const parseCpuMs = (await cpuOf(() => parseAll(texts))) / PARSES;
  const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1024 ** 2;
  return { syncCpuMs, requestsCpuMs, parseCpuMs, answers: texts.length, megabytes };
}

function isPart(message: unknown): message is { readonly request: Question; readonly chunk: Buffer } {
  if (typeof message !== "object" || message === null || !("request" in message && "chunk" in message)) return false;
  const { request, chunk } = message;
  if (typeof request !== "object" || request === null || !(chunk instanceof Uint8Array)) return false;
  return "origin" in request && "path" in request && "headers" in request;
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
