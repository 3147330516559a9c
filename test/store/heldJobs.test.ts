// The writes that are fenced by the lease of a job: they write for the very job, as long as the very lease is held, and nothing otherwise.
import assert from "node:assert/strict";
import { GuestType, JobKind, UndoStatus } from "../../src/core/enums.js";
import * as createdGuests from "../../src/store/guest/created.js";
import { holdJob, type Lease } from "../../src/store/job/lease.js";
import { jobStore } from "../../src/store/jobStore.js";
import * as held from "../../src/store/held/take.js";
import * as migrations from "../../src/store/migration.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { fromNow, plant } from "../support/rows.js";
import type { Connection } from "../../src/store/tables.js";
import { differences, tablesOf } from "../jobs/tables.js";

const IDS = [1, 2, 3];
const LEASE = { id: 2, leaseEpoch: 5 };
const CREATED = {
  type: GuestType.QEMU,
  hostId: 1,
  node: "pve1",
  vmid: 300,
  name: "new",
  cores: 1,
  memoryMb: 512,
  diskBytes: 1024,
  systemDiskBytes: 512,
  ownerId: null,
  planId: null,
  identity: null,
};
const RENUMBERING = { hostId: 1, from: 202, to: 250 };
const NOTHING = { steps: [], facts: {}, progress: null } as const;
const entry = { ...NOTHING, step: "copy", facts: { found: 1 } };

/** Each write, for the job of a lease. */
const WRITES: Readonly<Record<string, (connection: Connection, lease: Lease) => Promise<unknown>>> = {
  renewal: (on, lease) => jobStore(on).renew(lease, 3_600),
  release: (on, lease) => jobStore(on).release(lease),
  requeueing: (on, lease) => jobStore(on).requeue(lease),
  "an entry": (on, lease) => jobStore(on).write(lease, entry),
  "an undo": (on, lease) => jobStore(on).writeUndo(lease, { step: "examine", status: UndoStatus.RUNNING, error: null }),
  "a task": (on, lease) => jobStore(on).writeTask(lease, "clone", "UPID:1"),
  "a wait": (on, lease) => jobStore(on).writeWaiting(lease, { hostId: 1, reason: "away", sinceMsAgo: 1, againInMs: 1 }),
  "the end of a wait": (on, lease) => jobStore(on).writeWaiting(lease, null),
  "the end": (on, lease) => jobStore(on).end(lease, { ...NOTHING, error: null }),
  "another version": (on, lease) => jobStore(on).bringForward(lease, { input: { new: 1 }, facts: {}, version: 9 }),
  parking: (on, lease) => jobStore(on).park(lease, "not readable"),
  "another node": (on, lease) => held.moveCreation(on, lease, { hostId: 1, node: "pve2", storage: "fast" }),
  "another VMID": (on, lease) => held.renumberCreation(on, lease, RENUMBERING),
  "another VMID on the target": (on, lease) => held.renumberMove(on, lease, RENUMBERING),
  "a created guest": (on, lease) => createdGuests.record(on, { ...lease, ...CREATED }),
  "a started guest": (on, lease) => createdGuests.recordStart(on, { ...lease, guestId: 2, at: new Date() }),
  "the commit point": (on, lease) => migrations.markTransferred(on, lease, "pve2"),
  "the progress of a move": (on, lease) => migrations.setProgress(on, { ...lease, bytesCopied: 7, log: ["7 bytes"] }),
};

/** What may have become of a job since its worker claimed it. */
const FATES: Readonly<Record<string, string>> = {
  "another worker has taken it over": `lease_epoch = 6`,
  "the database was restored to before it was claimed": `lease_epoch = 4`,
  "it is done": `status = 'done', lease_until = null, worker = null, finished_at = now()`,
  "it has failed": `status = 'failed', error = 'why', lease_until = null, worker = null, finished_at = now()`,
  "it waits for a worker": `status = 'queued', lease_until = null, worker = null`,
};

/** Three jobs that are alike, each held under a lease of the same number. */
const plantJobs = ({ pool }: TestDatabase): Promise<void> =>
  plant(pool, {
    host: [{}, { name: "beta" }],
    node: [{}, { name: "pve2" }],
    guest: IDS.map((id) => ({ vmid: 100 + id, status: "stopped" }) as const),
    job: IDS.map(
      (id) =>
        ({
          kind: JobKind.GUEST_CREATE,
          status: "running",
          vmid: 200 + id,
          node: "pve1",
          lease_epoch: LEASE.leaseEpoch,
          lease_until: fromNow(60),
          worker: "w",
          facts: { waiting: {} },
          input: { target: {} },
        }) as const,
    ),
    migration: IDS.map((id) => ({ job_id: id, guest_id: id, status: "running", bytes_total: 1_000 }) as const),
    job_step: IDS.map((job_id) => ({ job_id, name: "examine" })),
    resource_lock: IDS.map((id) => ({ job_id: id, key: `guest:1:${200 + id}` })),
    vmid_reservation: IDS.map((id) => ({ job_id: id, vmid: 200 + id })),
    capacity_reservation: IDS.map((id) => ({ job_id: id })),
  });

describe("writes for a job that is held", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await plantJobs(database);
  });
  afterEach(() => database.close());

  /** Does a write and rolls it back. @returns what it changed */
  const changesOf = async (write: (connection: Connection, lease: Lease) => Promise<unknown>, fate?: string) => {
    const client = await database.pool.connect();
    try {
      await client.query("begin");
      if (fate !== undefined) await client.query(`update job set ${fate} where id = 2`);
      const before = await tablesOf(client);
      await write(client, LEASE);
      return differences(before, await tablesOf(client));
    } finally {
      await client.query("rollback");
      client.release();
    }
  };

  for (const [fate, change] of Object.entries(FATES)) {
    it(`change nothing when ${fate}`, async () => {
      for (const [what, write] of Object.entries(WRITES)) assert.deepEqual(await changesOf(write, change), {}, what);
      await changesOf(async (on, lease) => assert.equal(await holdJob(on, lease), false), change);
    });
  }

  it("change something of this job while its lease is held, and no other job", async () => {
    for (const [what, write] of Object.entries(WRITES)) {
      const changes = await changesOf(write);
      assert.notDeepEqual(changes, {}, what);
      const others = Object.values(changes).flatMap(({ gone }) => gone.filter((row) => /"job_id":[13]\b/.test(row)));
      const jobs = changes["job"]?.gone ?? [];
      assert.deepEqual([others, jobs.filter((row) => !row.startsWith('{"id":2,'))], [[], []], what);
    }
    await changesOf(async (on, lease) => assert.equal(await holdJob(on, lease), true));
  });
});
