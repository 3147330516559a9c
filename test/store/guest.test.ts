// Guests on record: what it means that one is gone, which writes a lock or another writer forestalls, and the fences of jobs.
import assert from "node:assert/strict";
import { GuestStatus, GuestType } from "../../src/core/enums.js";
import * as createdGuests from "../../src/store/guest/created.js";
import * as movedGuests from "../../src/store/guest/moved.js";
import * as observedGuests from "../../src/store/guest/observed.js";
import * as guests from "../../src/store/guest/record.js";
import * as locks from "../../src/store/lock.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { plant } from "../support/rows.js";
import { insertRows, LEASE, LOST_LEASE } from "./rows.js";

const DAY_SECONDS = 86_400;

describe("store/guest", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase(DAY_SECONDS);
    await insertRows(database);
  });
  afterEach(() => database.close());

  const rows = async (sql: string): Promise<unknown[]> => (await database.pool.query(sql)).rows;
  const guest = async (id: number, columns: string): Promise<unknown> =>
    (await rows(`select ${columns} from guest where id = ${id}`))[0];

  it("marks guests as gone by the service's clock, with an unknown status", async () => {
    await guests.markGone(database.pool, [1]);
    const ahead = `extract(epoch from gone_at - now()) > ${DAY_SECONDS - 60} as ahead`;
    assert.deepEqual(await guest(1, `status, ${ahead}`), { status: "unknown", ahead: true });
    assert.deepEqual(await guest(2, `status, gone_at`), { status: "stopped", gone_at: null });
  });

  it("keeps the moment at which a guest was first gone", async () => {
    await guests.markGone(database.pool, [1]);
    const before = await guest(1, "gone_at");
    assert.equal(await guests.markGone(database.pool, [1]), 0);
    assert.deepEqual(await guest(1, "gone_at"), before);
  });

  it("marks as gone what is on record in the place of another guest", async () => {
    await guests.markOthersGone(database.pool, 2, { hostId: 1, vmid: 100 });
    await guests.markOthersGone(database.pool, 2, { hostId: 1, vmid: 101 });
    assert.deepEqual(await rows("select id, gone_at is not null as gone from guest order by id"), [
      { id: 1, gone: true },
      { id: 2, gone: false },
    ]);
  });

  it("deletes only rows of guests that were gone before the moment", async () => {
    await guests.markGone(database.pool, [1]);
    await guests.deleteGoneBefore(database.pool, new Date());
    assert.equal((await rows("select from guest")).length, 2);
    await guests.deleteGoneBefore(database.pool, new Date(Date.now() + 2 * DAY_SECONDS * 1000));
    assert.deepEqual(await rows("select id from guest"), [{ id: 2 }]);
  });

  it("changes neither owner nor status of a guest that is locked", async () => {
    await locks.takeForJob(database.pool, 1, ["guest:1:100"]);
    assert.equal(await guests.setOwnerIfFree(database.pool, 1, 1), false);
    await guests.setStatusIfFree(database.pool, { id: 1, status: GuestStatus.STOPPED, at: new Date() });
    assert.deepEqual(await guest(1, "status, owner_id"), { status: "running", owner_id: null });
    assert.equal(await guests.setOwnerIfFree(database.pool, 2, 1), true);
  });

  it("clears the load of a guest that stopped, and starts the uptime of one that started", async () => {
    const at = new Date("2026-01-01T00:00:00Z");
    await guests.setStatus(database.pool, { id: 1, status: GuestStatus.STOPPED, at });
    await guests.setStatus(database.pool, { id: 2, status: GuestStatus.RUNNING, at });
    assert.deepEqual(await guest(1, "status, cpu_usage, started_at"), {
      status: "stopped",
      cpu_usage: null,
      started_at: null,
    });
    assert.deepEqual(await guest(2, "status, started_at"), { status: "running", started_at: at });
  });

  it("writes no load to a row that another transaction has written since", async () => {
    const read = `select ${observedGuests.VERSION} as version from guest where id = 1`;
    const version = Number((await database.pool.query<{ version: string }>(read)).rows[0]?.version);
    const load = { id: 1, version, cpuUsage: 0.25, memoryUsedMb: 64, startedAt: null };
    await observedGuests.updateLoads(database.pool, [load]);
    assert.deepEqual(await guest(1, "cpu_usage, memory_used_mb"), { cpu_usage: 0.25, memory_used_mb: 64 });
    await observedGuests.updateLoads(database.pool, [{ ...load, cpuUsage: 0.75 }]);
    assert.deepEqual(await guest(1, "cpu_usage"), { cpu_usage: 0.25 });
  });

  it("keeps the moment at which a guest was first out of sight", async () => {
    const first = new Date("2026-01-01T00:00:00Z");
    await observedGuests.markUnseen(database.pool, [1], first);
    await database.pool.query("update guest set status = 'running'");
    await observedGuests.markUnseen(database.pool, [1], new Date("2026-01-02T00:00:00Z"));
    assert.deepEqual(await guest(1, "status, unseen_since"), { status: "unknown", unseen_since: first });
  });

  const created = {
    hostId: 1,
    node: "pve1",
    type: GuestType.QEMU,
    vmid: 102,
    name: "new",
    cores: 2,
    memoryMb: 512,
    diskBytes: 1024,
    systemDiskBytes: 512,
    ownerId: 1,
    planId: 99,
    identity: null,
  };

  it("records a created guest with the addresses of its job, and without a plan that was deleted", async () => {
    await plant(database.pool, { ip_address: [{ address: "10.0.0.2", job_id: 1 }] });
    const { held, id } = await createdGuests.record(database.pool, { ...LEASE, ...created });
    assert.equal(held, true);
    assert.deepEqual(await guest(id ?? 0, "name, status, owner_id, plan_id"), {
      name: "new",
      status: "stopped",
      owner_id: 1,
      plan_id: null,
    });
    assert.deepEqual(await rows("select guest_id from ip_address"), [{ guest_id: id }]);
    assert.deepEqual(await rows(`select guest_id, facts->'guestId' as fact from job where id = 1`), [
      { guest_id: id, fact: id },
    ]);
  });

  it("completes the row of a guest that a sync found first", async () => {
    const { id } = await createdGuests.record(database.pool, { ...LEASE, ...created, vmid: 100 });
    assert.equal(id, 1);
    assert.deepEqual(await guest(1, "name, status, owner_id"), { name: "new", status: "running", owner_id: 1 });
    assert.deepEqual(await guest(1, "disk_bytes::int as all, system_disk_bytes::int as system"), {
      all: 1024,
      system: 512,
    });
  });

  it("records no guest on a node that is unknown", async () => {
    const recorded = await createdGuests.record(database.pool, { ...LEASE, ...created, node: "pve9" });
    assert.deepEqual(recorded, { held: true, id: null });
  });

  it("records nothing for a worker that lost its lease", async () => {
    const recorded = await createdGuests.record(database.pool, { ...LOST_LEASE, ...created });
    await createdGuests.recordStart(database.pool, { ...LOST_LEASE, guestId: 2, at: new Date() });
    assert.deepEqual(recorded, { held: false, id: null });
    assert.deepEqual(await rows("select vmid, status from guest order by id"), [
      { vmid: 100, status: "running" },
      { vmid: 101, status: "stopped" },
    ]);
  });

  it("moves a guest's row to its target once", async () => {
    const from = { hostId: 1, nodeId: 1, vmid: 100 };
    const to = { hostId: 2, nodeId: 2, vmid: 200 };
    const arrival = { guestId: 1, from, to, status: GuestStatus.RUNNING, addresses: ["10.0.0.5"] };
    assert.deepEqual(await movedGuests.moveToTarget(database.pool, arrival), { identity: null });
    assert.deepEqual(await guest(1, "host_id, vmid, ip_addresses"), {
      host_id: 2,
      vmid: 200,
      ip_addresses: ["10.0.0.5"],
    });
    assert.equal(await movedGuests.moveToTarget(database.pool, arrival), null);
  });
});
