// The stage of an upgrade: a captured release's database and hosts, agents that answer, and this release on top of them.
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM } from "@mikro-orm/postgresql";
import { Pool } from "pg";
import { executorOf } from "../../jobs/executorOf.js";
import { workUntilIdle } from "../../jobs/engine/worker.js";
import { unlock } from "../../simulator/control/shell.js";
import type { RunningHost } from "../../simulator/host.js";
import { HOST_SECRET } from "../../src/access/secretPurpose.js";
import { WORK_QUEUES } from "../../src/core/workQueue.js";
import { schemaChanges } from "../../src/db/changes/index.js";
import { applySchemaChanges } from "../../src/db/migrate.js";
import { syncHost } from "../../src/inventory/syncHost.js";
import { secretBox } from "../../src/access/secretBox.js";
import { silentQueue } from "../jobs/queue/backends.js";
import { createEmptyDatabase, openTestDatabase } from "../support/database.js";
import { silentLog } from "../support/log.js";
import { createPlatformServices, SECRET, startTestHost } from "../support/platform.js";
import type { TestServices } from "../support/services.js";
import { fillTables, furnish, type Capture } from "./captured.js";

export interface UpgradeStage {
  readonly capture: Capture;
  readonly services: TestServices;
  /** By name. */
  readonly hosts: ReadonlyMap<string, RunningHost>;
  sync(): Promise<void>;
  /** Does all the work that is there. */
  work(): Promise<void>;
  close(): Promise<void>;
}

/** @param file the capture's name in `test/upgrade/releases` of the repository */
export async function openUpgradeStage(file: string): Promise<UpgradeStage> {
  const capture = await readCapture(file);
  const hosts = await Promise.all(capture.hosts.map(startAgain));
  const empty = await createEmptyDatabase();
  await earlierSchema(empty.url, capture.changes);
  const box = secretBox(Buffer.alloc(32, 1).toString("base64"));
  await fill(empty.url, { capture, hosts, box });
  await applySchemaChanges(empty.url, silentLog);
  const services = await createPlatformServices({ database: await openTestDatabase(empty), secrets: box });
  await reachEverything(services);
  const ended = new AbortController();
  const agents = answerAgents(services, { hosts, ended: ended.signal });
  const sync = async (): Promise<void> => {
    const { rows } = await services.pool.query<{ id: number }>(`select id from host order by id`);
    for (const { id } of rows) await syncHost(services, id, { thorough: true });
  };
  return {
    capture,
    services,
    hosts: new Map(hosts.map((host) => [host.name, host])),
    sync,
    async work() {
      const executor = executorOf({ services, worker: "upgraded", stopping: ended.signal });
      const work = { queues: WORK_QUEUES, queue: silentQueue };
      for (let worked = 1; worked > 0;) worked = await workUntilIdle(executor, work);
    },
    async close() {
      ended.abort();
      await agents;
      await services.close();
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}

export async function readCapture(file: string): Promise<Capture> {
  const packed = await readFile(new URL(`../../../test/upgrade/releases/${file}`, import.meta.url));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by capture.ts in exactly this shape
  return JSON.parse(gunzipSync(packed).toString()) as Capture;
}

async function startAgain(state: Capture["hosts"][number]): Promise<RunningHost> {
  const host = await startTestHost({ name: state.name });
  for (const node of host.platform.state.nodes.values()) node.memoryBytes *= 8;
  furnish(host, state);
  return host;
}

/** Applies the changes that the captured release had, and no others. */
async function earlierSchema(url: string, changes: readonly string[]): Promise<void> {
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      tableName: "schema_change",
      migrationsList: schemaChanges.filter(({ name }) => changes.includes(name)),
      snapshot: false,
      silent: true,
    },
  });
  try {
    await orm.migrator.up();
  } finally {
    await orm.close();
  }
}

interface Filling {
  readonly capture: Capture;
  readonly hosts: readonly RunningHost[];
  readonly box: ReturnType<typeof secretBox>;
}

/** The service was stopped a while ago: no lease lasts. Hosts have their ports and keys of today. */
async function fill(url: string, { capture, hosts, box }: Filling): Promise<void> {
  const pool = new Pool({ connectionString: url });
  try {
    await fillTables({ pool, secrets: box }, capture);
    // A captured port may be the one that another host has today.
    await pool.query("update host set port = id");
    for (const { name, port, fingerprint } of hosts)
      await pool.query(`update host set port = $2, tls_fingerprint = $3, secret_encrypted = $4 where name = $1`, [
        name,
        port,
        fingerprint,
        box.seal(SECRET, HOST_SECRET),
      ]);
    await pool.query(`update job set lease_until = now() - interval '1 second' where status = 'running'`);
    await pool.query(`update temporary_token set expires_at = now() + interval '1 hour'`);
    await pool.query(`update agent set last_seen_at = now() + interval '1 hour'`);
  } finally {
    await pool.end();
  }
}

/** Connection tests have their answer before they are waited for: their limit is not met at any speed of the machine. */
async function reachEverything({ pool }: TestServices): Promise<void> {
  await pool.query(`
    create function answer_connection_test() returns trigger language plpgsql as $$
    begin
      new.status := 'done';
      new.data := '{"reachable": true}';
      new.finished_at := now();
      return new;
    end $$`);
  await pool.query(`
    create trigger answer_connection_test before insert on agent_job
    for each row when (new.kind = 'tcp_check') execute function answer_connection_test()`);
}

const WAITING = `
  select j.id, n.name as node, j.kind, j.payload->>'type' as type, j.payload->>'vmid' as vmid
  from agent_job j join node n on n.id = j.node_id where j.status = 'waiting'`;

const LOOK_AGAIN_MS = 20;

/** Every agent unlocks what it is asked to, and does everything else that it was asked before the upgrade. */
async function answerAgents(
  { pool }: TestServices,
  { hosts, ended }: { hosts: readonly RunningHost[]; ended: AbortSignal },
): Promise<void> {
  while (!ended.aborted) {
    const { rows } = await pool.query<{ id: string; node: string; kind: string; type: string; vmid: string }>(WAITING);
    for (const { id, node, kind, type, vmid } of rows) {
      const host = hosts.find(({ name }) => name === node);
      if (kind === "unlock_guest" && host !== undefined)
        unlock(host.platform, node, { program: type === "qemu" ? "qm" : "pct", vmid });
      await pool.query(
        `update agent_job set status = 'done', data = '{"reachable": true}', finished_at = now() where id = $1`,
        [id],
      );
    }
    await delay(LOOK_AGAIN_MS);
  }
}
