// What jobs hold: a creation takes all of it or nothing, and a node that changes takes the capacity along.
import assert from "node:assert/strict";
import * as addresses from "../../src/store/address.js";
import * as capacity from "../../src/store/capacity.js";
import { releaseOrphaned } from "../../src/store/held/release.js";
import * as held from "../../src/store/held/take.js";
import * as vmidRefusals from "../../src/store/vmidRefusal.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { plant } from "../support/rows.js";
import { insertRows, LEASE, LOST_LEASE } from "./rows.js";

const creation = (vmid: number, node = "pve1"): held.Creation => ({
  vmid,
  node,
  storage: "local",
  memory_mb: 512,
  disk_bytes: 1024,
  lock: `guest:1:${vmid}`,
  input: { name: `guest${vmid}` },
  secrets: "sealed",
  user_id: 1,
  token_id: null,
});

describe("store/held", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await insertRows(database);
  });
  afterEach(() => database.close());

  const rows = async (sql: string): Promise<unknown[]> => (await database.pool.query(sql)).rows;
  const heldByJob = () =>
    rows(`select r.vmid, l.key from vmid_reservation r join resource_lock l using (job_id) order by 1, 2`);
  const reserved = () =>
    rows("select job_id, node_id, storage, memory_mb from capacity_reservation order by job_id, storage");

  it("inserts the jobs of creations with lock, VMID and capacity", async () => {
    const creations = [creation(200), creation(201, "pve3")];
    const jobs = await held.insertCreations(database.pool, { hostId: 1, version: 1, creations });
    assert.deepEqual(
      jobs.map(({ vmid }) => vmid).toSorted((left, right) => left - right),
      [200, 201],
    );
    const all = await rows(`
      select l.key, r.vmid, n.name as node, j.input->>'name' as name, j.kind, j.version from job j
      join resource_lock l on l.job_id = j.id join vmid_reservation r on r.job_id = j.id
      join capacity_reservation c on c.job_id = j.id join node n on n.id = c.node_id order by r.vmid`);
    assert.deepEqual(all, [
      { key: "guest:1:200", vmid: 200, node: "pve1", name: "guest200", kind: "guest_create", version: 1 },
      { key: "guest:1:201", vmid: 201, node: "pve3", name: "guest201", kind: "guest_create", version: 1 },
    ]);
  });

  it("inserts no creation when another job has one of the VMIDs", async () => {
    await plant(database.pool, { vmid_reservation: [{ vmid: 201, job_id: 2 }] });
    const inserting = held.insertCreations(database.pool, {
      hostId: 1,
      version: 1,
      creations: [creation(200), creation(201)],
    });
    await assert.rejects(inserting, { constraint: "vmid_reservation_pkey" });
    assert.deepEqual(await rows("select key from resource_lock"), []);
    assert.deepEqual(await rows("select id from job order by id"), [{ id: 1 }, { id: 2 }]);
  });

  it("moves the capacity of a creation along with its job, under its lease only", async () => {
    await capacity.reserve(database.pool, {
      jobId: 1,
      nodeId: 1,
      memoryMb: 512,
      storages: [{ name: "local", bytes: 1 }],
    });
    const destination = { hostId: 1, node: "pve3", storage: "fast" };
    await held.moveCreation(database.pool, LOST_LEASE, destination);
    assert.deepEqual(await reserved(), [{ job_id: 1, node_id: 1, storage: "local", memory_mb: 512 }]);
    await held.moveCreation(database.pool, LEASE, destination);
    assert.deepEqual(await reserved(), [{ job_id: 1, node_id: 3, storage: "fast", memory_mb: 512 }]);
    assert.deepEqual(await rows("select node from job where id = 1"), [{ node: "pve3" }]);
  });

  it("reserves memory once, with the first of several storages, and without any", async () => {
    const storages = [
      { name: "a", bytes: 1 },
      { name: "b", bytes: 2 },
    ];
    await capacity.reserve(database.pool, { jobId: 1, nodeId: 1, memoryMb: 512, storages });
    await capacity.reserve(database.pool, { jobId: 2, nodeId: 1, memoryMb: 256, storages: [] });
    assert.deepEqual(await reserved(), [
      { job_id: 1, node_id: 1, storage: "a", memory_mb: 512 },
      { job_id: 1, node_id: 1, storage: "b", memory_mb: 0 },
      { job_id: 2, node_id: 1, storage: "", memory_mb: 256 },
    ]);
  });

  it("returns the addresses that were taken, without those of others", async () => {
    await addresses.takeForJob(database.pool, { zoneId: 1, address: "10.0.0.3", jobId: 2 });
    const wanted = ["10.0.0.2", "10.0.0.3"].map((address) => ({ address, jobId: 1 }));
    assert.deepEqual([...(await addresses.takeForJobs(database.pool, 1, wanted))], ["10.0.0.2"]);
  });

  it("takes an address again when it is free or the guest has it, and from no other guest", async () => {
    const address = { zoneId: 1, address: "10.0.0.2", jobId: 1, guestId: 1 };
    await plant(database.pool, { ip_address: [{ address: "10.0.0.2", guest_id: 2 }] });
    assert.equal(await addresses.takeAgainForJob(database.pool, address), false);
    await database.pool.query("update ip_address set guest_id = 1");
    assert.equal(await addresses.takeAgainForJob(database.pool, address), true);
    await addresses.releaseOfGuest(database.pool, 1);
    assert.equal(await addresses.takeAgainForJob(database.pool, address), true);
    assert.equal(await addresses.takeAgainForJob(database.pool, { ...address, zoneId: 9 }), false);
  });

  it("releases all addresses of a guest but the one that it keeps", async () => {
    await plant(database.pool, {
      ip_address: [1, 1, 2].map((guest, index) => ({ address: `10.0.0.${2 + index}`, guest_id: guest })),
    });
    await addresses.releaseOthersOfGuest(database.pool, 1, { zoneId: 1, address: "10.0.0.3" });
    assert.deepEqual(await rows("select host(address) as address from ip_address order by address"), [
      { address: "10.0.0.3" },
      { address: "10.0.0.4" },
    ]);
  });

  describe("another VMID for a job", () => {
    const renumbering = { hostId: 1, from: 200, to: 210 };

    beforeEach(async () => {
      await database.pool.query(
        `update job set vmid = 200, facts = '{"node": "pve1"}', input = '{"target": {"vmid": 200}}' where id = 1`,
      );
      await plant(database.pool, {
        resource_lock: [{ key: "guest:1:200" }, { key: "guest:2:300" }],
        vmid_reservation: [{ vmid: 200 }],
      });
    });

    it("is the guest's of a creation, with the lock and the reservation, and in what the job has found", async () => {
      assert.equal(await held.renumberCreation(database.pool, LEASE, renumbering), true);
      assert.deepEqual(await heldByJob(), [
        { vmid: 210, key: "guest:1:210" },
        { vmid: 210, key: "guest:2:300" },
      ]);
      assert.deepEqual(await rows(`select vmid, facts from job where id = 1`), [
        { vmid: 210, facts: { node: "pve1", vmid: 210 } },
      ]);
    });

    it("is that on the target of a move, and the job keeps the guest's own", async () => {
      assert.equal(await held.renumberMove(database.pool, LEASE, renumbering), true);
      assert.deepEqual(await rows(`select vmid, facts, input from job where id = 1`), [
        { vmid: 200, facts: { node: "pve1", targetVmid: 210 }, input: { target: { vmid: 210 } } },
      ]);
    });

    it("is not taken by a worker that lost its lease", async () => {
      assert.equal(await held.renumberCreation(database.pool, LOST_LEASE, renumbering), false);
      assert.deepEqual(await heldByJob(), [
        { vmid: 200, key: "guest:1:200" },
        { vmid: 200, key: "guest:2:300" },
      ]);
    });

    for (const [what, taking, constraint] of [
      ["reserved", { vmid_reservation: [{ vmid: 210, job_id: 2 }] }, "vmid_reservation_pkey"],
      ["locked", { resource_lock: [{ key: "guest:1:210", job_id: 2 }] }, "resource_lock_pkey"],
    ] as const)
      it(`is not one that another job has ${what}`, async () => {
        await plant(database.pool, taking);
        await assert.rejects(held.renumberCreation(database.pool, LEASE, renumbering), { constraint });
        assert.deepEqual(await rows(`select vmid from job where id = 1`), [{ vmid: 200 }]);
      });
  });

  it("forgets with the sweep that a VMID was refused when it may be tried again", async () => {
    await vmidRefusals.record(database.pool, { hostId: 1, vmids: [301, 300] });
    await database.pool.query(`update vmid_refusal set until = until - interval '1 hour' where vmid = 300`);
    await releaseOrphaned(database.pool);
    assert.deepEqual(await rows(`select host_id, vmid from vmid_refusal`), [{ host_id: 1, vmid: 301 }]);
    await database.pool.query(`update vmid_refusal set until = until - interval '59 minutes'`);
    await vmidRefusals.record(database.pool, { hostId: 1, vmids: [301] });
    assert.deepEqual(await rows(`select until > now() + interval '59 minutes' as renewed from vmid_refusal`), [
      { renewed: true },
    ]);
  });
});
