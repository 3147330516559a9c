// Checks that what is remembered between syncs never makes one write anything else than it would without, whoever writes beside it.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { Client } from "pg";
import type { Services } from "../../src/context/context.js";
import { openPool } from "../../src/db/pool.js";
import { GuestStatus } from "../../src/core/enums.js";
import { MIB } from "../../src/core/units.js";
import { NO_GUESTS, type PresentGuests } from "../../src/store/guest/present.js";
import { RememberedGuests } from "../../src/store/guest/remembered.js";
import { loadStored } from "../../src/store/storedHost.js";
import { syncHost } from "../../src/inventory/syncHost.js";
import { silentLog } from "../support/log.js";
import { planted } from "../support/rows.js";
import { createTestServices, shiftableClock, type TestServices } from "../support/services.js";
import { NODES, scriptedGuest, scriptedHypervisors, type Script, type ScriptedGuest } from "./support/scripted.js";
import { until } from "../support/until.js";

const FIRST = 100;
const GUESTS = 8;
const STEPS = 12;
const SERIES = 12;
const BETWEEN_SYNCS_SECONDS = 15;
const PATIENCE = { connectMs: 120_000, statementMs: 120_000 };
const WAITING = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

describe("guests remembered between syncs", () => {
  let services: TestServices;
  /** Another process on the same database. */
  let others: Services & { close(): Promise<void> };
  let script: Script;
  let now: number;
  let hosts = 0;

  beforeEach(async () => {
    script = new Map();
    now = Date.now();
    const clock = { ...shiftableClock(), now: () => new Date(now) };
    services = await createTestServices({ clock, hypervisors: scriptedHypervisors(script) });
    const pool = openPool({
      url: services.database.url,
      purpose: "others",
      size: 4,
      log: silentLog,
      patience: PATIENCE,
    });
    others = { ...services, pool, rememberedGuests: new RememberedGuests(), close: () => pool.end() };
  });
  afterEach(async () => {
    await others.close();
    await services.close();
  });

  const rows = async (sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
    (await services.pool.query<Record<string, unknown>>(sql, values)).rows;

  async function addHost(): Promise<number> {
    return (await planted(services.pool, "host", { name: `host${++hosts}` })).id;
  }

  /** What is on record of a host's guests, but for what is the database's own. */
  const onRecord = (hostId: number) =>
    rows(
      `select to_jsonb(g) - '{id,host_id,node_id,created_at,gone_at}'::text[] as guest, g.gone_at is not null as gone, n.name as node
       from guest g join node n on n.id = g.node_id where g.host_id = $1 order by g.vmid, g.id`,
      hostId,
    );

  it("lead to the same records as reading all of them again, over random series of answers and other writers", async function () {
    this.timeout(300_000);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: STEPS }), async (steps) => {
        script.clear();
        const remembering = await addHost();
        const forgetting = await addHost();
        for (const { changes, writes, byOthers } of steps) {
          for (const change of changes) change(script);
          for (const { sql, vmid } of writes) for (const id of [remembering, forgetting]) await rows(sql, id, vmid);
          now += BETWEEN_SYNCS_SECONDS * 1000;
          const syncing = byOthers ? others : services;
          await syncHost(syncing, remembering);
          await assertRemembered(syncing, remembering);
          services.rememberedGuests.remember(forgetting, NO_GUESTS);
          await syncHost(services, forgetting);
          assert.deepEqual(await onRecord(remembering), await onRecord(forgetting));
        }
      }),
      { numRuns: SERIES, seed: 1 },
    );
  });

  it("are not read again while no other client writes them, and only those that one wrote", async () => {
    const hostId = await addHost();
    for (let vmid = FIRST; vmid < FIRST + GUESTS; vmid++) script.set(vmid, scriptedGuest(vmid));
    await syncHost(services, hostId);
    const before = services.rememberedGuests.of(hostId);
    await syncHost(services, hostId);
    assert.equal(services.rememberedGuests.of(hostId), before);
    await rows("update guest set plan_id = null where vmid = 103");
    await syncHost(services, hostId);
    const after = services.rememberedGuests.of(hostId);
    for (const [vmid, guest] of after.byVmid) assert.equal(guest === before.byVmid.get(vmid), vmid !== 103);
  });

  it("do not revert what another client writes between the comparison and the writing", async () => {
    const hostId = await addHost();
    script.set(FIRST, scriptedGuest(FIRST));
    await syncHost(services, hostId);
    script.set(FIRST, scriptedGuest(FIRST, { cpuUsage: 0.9 }));
    const writer = new Client(services.database.url);
    await writer.connect();
    await writer.query("begin");
    await writer.query("update guest set status = 'stopped', cpu_usage = null where host_id = $1", [hostId]);
    const syncing = syncHost(services, hostId);
    await until("the sync waits for the row", async () => (await rows(WAITING)).length > 0);
    await writer.query("commit");
    await writer.end();
    await syncing;
    const state = () => rows("select status, cpu_usage from guest where host_id = $1", hostId);
    assert.deepEqual(await state(), [{ status: "stopped", cpu_usage: null }], "the load is that of another state");
    await assertRemembered(services, hostId);
    await syncHost(services, hostId);
    assert.deepEqual(await state(), [{ status: "running", cpu_usage: 0.9 }], "the next sync looks again");
  });

  it("are right in each of two processes that sync one host at once", async () => {
    const hostId = await addHost();
    for (let round = 0; round < GUESTS; round++) {
      script.set(FIRST + round, scriptedGuest(FIRST + round));
      for (const [vmid, guest] of script) script.set(vmid, { ...guest, cpuUsage: round / 10, cores: 1 + (vmid % 2) });
      now += 1000;
      await Promise.all([services, services, others].map((process) => syncHost(process, hostId)));
    }
    now += 1000;
    for (const process of [services, others]) {
      await syncHost(process, hostId);
      await assertRemembered(process, hostId);
    }
    const cpu = (GUESTS - 1) / 10;
    assert.deepEqual(
      await rows("select vmid, cores, cpu_usage as cpu from guest where gone_at is null order by vmid"),
      [...script.keys()].map((vmid) => ({ vmid, cores: 1 + (vmid % 2), cpu })),
    );
  });
});

describe("inventory/rememberedGuests", () => {
  it("forgets the hosts that were longest not synced when there are too many guests", () => {
    const remembered = new RememberedGuests(10);
    for (const hostId of [1, 2, 3]) remembered.remember(hostId, some(3));
    remembered.remember(1, some(4));
    remembered.remember(4, some(3));
    assert.deepEqual(
      [1, 2, 3, 4].map((hostId) => remembered.of(hostId).digest),
      ["4", "", "3", "3"],
    );
  });

  it("does not remember a host that alone has too many", () => {
    const remembered = new RememberedGuests(10);
    remembered.remember(1, some(11));
    assert.equal(remembered.of(1), NO_GUESTS);
  });
});

const byVmid = ({ byVmid: guests }: PresentGuests) =>
  [...guests.values()].toSorted((left, right) => left.vmid - right.vmid);

async function assertRemembered(of: Services, hostId: number): Promise<void> {
  const fresh = await loadStored(of.pool, hostId, { guests: NO_GUESTS });
  assert.deepEqual(byVmid(of.rememberedGuests.of(hostId)), byVmid(fresh.guests));
  assert.equal(of.rememberedGuests.of(hostId).digest, fresh.guests.digest);
}

/** Guests of which only their number matters. */
const some = (count: number): PresentGuests => {
  const guests = Array.from({ length: count }, (_, index) => [index, {}]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- they are never looked at
  return { byVmid: new Map(guests as never), digest: String(count) };
};

interface Step {
  /** What happens on the platform before the sync. */
  readonly changes: readonly ((script: Script) => void)[];
  /** What somebody else writes to the database. */
  readonly writes: readonly { readonly sql: string; readonly vmid: number }[];
  /** Whether another process syncs. */
  readonly byOthers: boolean;
}

const vmids = fc.integer({ min: FIRST, max: FIRST + GUESTS - 1 });

const altered: fc.Arbitrary<Partial<ScriptedGuest>> = fc.oneof(
  fc.constantFrom(0, 0.05, 0.055, 0.7).map((cpuUsage) => ({ cpuUsage })),
  fc.constantFrom(256, 260, 900).map((mb) => ({ memoryUsedBytes: mb * MIB })),
  fc.constantFrom(5, 8, 7200).map((uptimeSeconds) => ({ uptimeSeconds })),
  fc.constantFrom(...Object.values(GuestStatus)).map((status) => ({ status })),
  fc.constantFrom(...NODES).map((node) => ({ node })),
  fc.constantFrom("renamed", null).map((name) => ({ name })),
  fc.constantFrom([], ["a"], ["a", "b"]).map((tags) => ({ tags })),
  fc.constantFrom("backup", null).map((lock) => ({ lock })),
  fc.constantFrom(1, 4).map((cores) => ({ cores })),
  fc.boolean().map((hidden) => ({ hidden })),
  fc.boolean().map((template) => ({ template })),
  fc.constantFrom("qemu" as const, "lxc" as const).map((type) => ({ type })),
  fc.uuid().map((uuid) => ({ uuid })),
);

const change: fc.Arbitrary<(script: Script) => void> = fc.oneof(
  { weight: 2, arbitrary: vmids.map((vmid) => (script: Script) => void script.set(vmid, scriptedGuest(vmid))) },
  { weight: 1, arbitrary: vmids.map((vmid) => (script: Script) => void script.delete(vmid)) },
  {
    weight: 5,
    arbitrary: fc.tuple(vmids, altered).map(([vmid, how]) => (script: Script) => {
      const guest = script.get(vmid);
      if (guest !== undefined) script.set(vmid, { ...guest, ...how });
    }),
  },
);

/** Of a host and a VMID, all as parts of the service write them beside a sync. */
const OTHER_WRITES = [
  "update guest set status = 'stopped', cpu_usage = null where host_id = $1 and vmid = $2 and gone_at is null",
  "update guest set identity = null where host_id = $1 and vmid = $2 and gone_at is null",
  "update guest set gone_at = (select max(last_sync_at) from host), status = 'unknown' where host_id = $1 and vmid = $2 and gone_at is null",
  "update guest set safety_copy = not safety_copy where host_id = $1 and vmid = $2 and gone_at is null",
  "delete from guest where host_id = $1 and vmid = $2 and gone_at is null",
] as const;

const step: fc.Arbitrary<Step> = fc.record({
  changes: fc.array(change, { maxLength: 6 }),
  writes: fc.array(fc.record({ sql: fc.constantFrom(...OTHER_WRITES), vmid: vmids }), { maxLength: 2 }),
  byOthers: fc.boolean(),
});
