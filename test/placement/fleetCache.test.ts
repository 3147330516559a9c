// The fleet cache equals a fresh reading of the database, whichever process wrote, in whichever order transactions were committed.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import type { Pool } from "pg";
import { FleetCache } from "../../src/placement/fleetCache.js";
import { loadSnapshot } from "../../src/placement/placementSnapshot.js";
import type { LoadedSnapshot } from "../../src/core/placement/context.js";
import { byHostAndName } from "../../src/core/placement/nodeSet.js";
import { openDatabase, type Database } from "../../src/db/database.js";
import {
  embeddedServerPid,
  eraseEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "../../src/db/embedded.js";
import { applySchemaChanges } from "../../src/db/migrate.js";
import { listenForEvents, type Events } from "../../src/events/events.js";
import { createTestDatabase, PATIENCE, type TestDatabase } from "../support/database.js";
import { eventually } from "../support/eventually.js";
import { silentLog } from "../support/log.js";
import { fixedClock } from "../support/services.js";
import { insertNodes } from "./fleet.js";
import { commands, Lanes } from "./fleetLanes.js";

const HOSTS = 4;
const NODES_A_HOST = 3;
const clock = fixedClock(new Date());

describe("the fleet cache", function () {
  this.timeout(400_000);
  let database: TestDatabase;
  let processes: readonly ServiceProcess[];
  beforeEach(async () => {
    database = await createTestDatabase();
    const numbers = Array.from({ length: HOSTS * NODES_A_HOST }, (_, number) => number);
    await insertNodes(
      database.pool,
      numbers.map((number) => ({ host: 1 + (number % HOSTS), name: `n${number}` })),
    );
    await database.pool.query(`
      insert into guest (host_id, node_id, type, vmid, memory_mb, disk_bytes, status)
      select host_id, id, 'qemu', 100 + id, 1024, 1e9, 'running' from node;
      select setval(pg_get_serial_sequence('host', 'id'), 100)`);
    processes = [await startProcess(database.url), await startProcess(database.url)];
  });
  afterEach(async () => {
    for (const one of processes) await one.close();
    await database.close();
  });

  it("equals a fresh reading, in two processes, after any writes in overlapping transactions", async () => {
    const property = fc.asyncProperty(commands, async (some) => {
      const lanes = new Lanes(database.pool, clock.now());
      try {
        for (const command of some) {
          await lanes.carryOut(command);
          await assertSameAsFresh(processes.slice(0, command.looks));
        }
      } finally {
        await lanes.end();
      }
      await assertSameAsFresh(processes);
    });
    await fc.assert(property, { numRuns: 25, endOnFailure: true });
  });

  it("is of one moment: a guest that moves is never on two nodes, nor on none", async () => {
    const { rows } = await database.pool.query<{ guests: number }>(`select count(*)::int as guests from guest`);
    const moved = new AbortController();
    const move = async (mover: number): Promise<void> => {
      for (let turn = 0; turn < 40; turn++) {
        await database.pool.query(
          `update guest g set host_id = n.host_id, node_id = n.id from (select id, host_id from node order by random() limit 1) n
           where g.id % 4 = $1`,
          [mover],
        );
      }
    };
    const look = async ({ fleet }: ServiceProcess): Promise<number> => {
      let looks = 0;
      for (; !moved.signal.aborted; looks++) {
        const { snapshot } = await fleet.snapshot();
        const counted = snapshot.nodes.reduce((sum, { guestCount }) => sum + guestCount, 0);
        assert.equal(counted, rows[0]?.guests);
      }
      return looks;
    };
    const [looks] = await Promise.all([
      Promise.all(processes.map(look)),
      Promise.all([0, 1, 2, 3].map((mover) => move(mover))).finally(() => moved.abort()),
    ]);
    assert.ok(looks.every((count) => count > 0));
    await assertSameAsFresh(processes);
  });

  it("lets writers of one host go on at once, and keeps about one note a host", async () => {
    const [one, other] = [await database.pool.connect(), await database.pool.connect()];
    try {
      for (const client of [one, other]) await client.query("begin; set local lock_timeout = '10s'");
      await one.query("update node set memory_used_mb = 1 where host_id = 1 and name = 'n0'");
      await other.query("update node set memory_used_mb = 2 where host_id = 1 and name = 'n4'");
      await other.query("update storage set free_bytes = 3 where node_id = (select id from node where name = 'n4')");
      await one.query("update guest set memory_mb = 4 where node_id = (select id from node where name = 'n0')");
      await other.query("commit");
      await assertSameAsFresh(processes);
      await one.query("commit");
    } finally {
      for (const client of [one, other]) client.release();
    }
    await assertSameAsFresh(processes);
    for (let turn = 0; turn < 5; turn++)
      await database.pool.query("update node set memory_used_mb = memory_used_mb + 1");
    const { rows } = await database.pool.query("select host_id from placement_change order by host_id");
    assert.deepEqual(
      rows.map(({ host_id: id }) => id),
      [1, 2, 3, 4],
    );
  });

  it("reads only the hosts again that changed", async () => {
    await assertSameAsFresh(processes);
    await writeUnnoted(database.pool);
    await database.pool.query("update host set maintenance = true, maintenance_since = now() where id = 2");
    const known = await statesOf(processes[0]);
    assert.equal(known.get("1/n0")?.memoryUsedMb, 1_024);
    assert.equal(known.get("2/n1")?.memoryUsedMb, 9_999);
    assert.equal(known.get("2/n1")?.host.maintenance, true);
  });

  it("reads everything again after the connection for announcements was lost", async () => {
    await assertSameAsFresh(processes);
    await writeUnnoted(database.pool);
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'drover events'`,
    );
    await eventually(() => assertSameAsFresh(processes));
  });

  it("passes an error of the database on, and reads everything again at the next call", async () => {
    const [first] = processes;
    assert.ok(first);
    await assertSameAsFresh(processes);
    await writeUnnoted(database.pool);
    await database.pool.query("alter table placement_change rename to elsewhere");
    await assert.rejects(first.fleet.snapshot(), /placement_change/);
    await database.pool.query("alter table elsewhere rename to placement_change");
    await assertSameAsFresh([first]);
  });

  async function assertSameAsFresh(asked: readonly ServiceProcess[]): Promise<void> {
    const fresh = inOrder(await loadSnapshot(database.pool, clock));
    for (const { fleet } of asked) assert.deepEqual(inOrder(await fleet.snapshot()), fresh);
  }
});

describe("the fleet cache after a restart of the database", function () {
  this.timeout(400_000);
  let data: string;
  let postgres: EmbeddedPostgres;
  let database: Database;
  before(async () => {
    data = await mkdtemp(join(tmpdir(), "drover-fleet-"));
    postgres = await startEmbeddedPostgres({ dataDirectory: data, port: 0, log: silentLog, durable: false });
    await applySchemaChanges(postgres.url, silentLog);
    database = openDatabase(postgres.url, silentLog, { requests: PATIENCE, work: PATIENCE });
    await insertNodes(database.pool, [{ host: 1, name: "n0" }]);
  });
  after(async () => {
    await database.close();
    await postgres.stop();
    await eraseEmbeddedPostgres(data, silentLog);
    await rm(data, { recursive: true, force: true });
  });

  it("reads everything again although no connection was reported lost", async () => {
    const { pool } = database;
    const fleet = new FleetCache({ pool, clock, events: silentEvents });
    const memoryUsed = async () => (await fleet.snapshot()).snapshot.nodes[0]?.memoryUsedMb;
    const started = async () => (await pool.query(`select pg_postmaster_start_time()::text as at`)).rows[0];
    assert.equal(await memoryUsed(), 1_024);
    await writeUnnoted(pool);
    assert.equal(await memoryUsed(), 1_024);
    const before = await started();
    process.kill((await embeddedServerPid(data, silentLog)) ?? assert.fail("the server has no process"), "SIGINT");
    await eventually(async () => assert.notDeepEqual(await started(), before), 120_000);
    assert.equal(await memoryUsed(), 9_999);
    fleet.close();
  });
});

/** A connection for announcements that never announces anything. */
const silentEvents: Events = { on: () => () => undefined, emitLocal: () => undefined, close: () => Promise.resolve() };

/** The part of a service process that these tests use. */
interface ServiceProcess {
  readonly fleet: FleetCache;
  close(): Promise<void>;
}

async function startProcess(url: string): Promise<ServiceProcess> {
  const database: Database = openDatabase(url, silentLog, { requests: PATIENCE, work: PATIENCE });
  const events: Events = await listenForEvents(url, silentLog);
  const fleet = new FleetCache({ pool: database.pool, clock, events });
  return {
    fleet,
    async close() {
      fleet.close();
      await events.close();
      await database.close();
    },
  };
}

const inOrder = ({ snapshot, settings }: LoadedSnapshot): unknown => ({
  settings,
  now: snapshot.now,
  nodes: snapshot.nodes
    .map((node) => ({ ...node, storages: node.storages.toSorted((left, right) => (left.name < right.name ? -1 : 1)) }))
    .toSorted((left, right) => byHostAndName(nameOf(left), nameOf(right))),
});

const nameOf = ({ host, name }: { readonly host: { readonly id: number }; readonly name: string }) => ({
  hostId: host.id,
  node: name,
});

async function statesOf(one: ServiceProcess | undefined) {
  const { snapshot } = (await one?.fleet.snapshot()) ?? assert.fail("there is no process");
  return new Map(snapshot.nodes.map((node) => [`${node.host.id}/${node.name}`, node]));
}

/** As a database may be after it came back from a backup: other than it was, and nothing says so. */
async function writeUnnoted(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("set session_replication_role = replica");
    await client.query("update node set memory_used_mb = 9999");
    await client.query("set session_replication_role = default");
  } finally {
    client.release();
  }
}
