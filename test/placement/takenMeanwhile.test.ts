// Whatever is chosen for a new guest passes over what only a lock or an uncommitted change holds: it is no fault of the service.
import assert from "node:assert/strict";
import type { PoolClient } from "pg";
import { createGuest } from "../../src/actions/guest/createGuest.js";
import type { QueuedGuest } from "../../src/placement/creation.js";
import { isVmidTaken } from "../../src/placement/takeVmid.js";
import { UserRole } from "../../src/core/enums.js";
import type { GuestCreateRequest } from "../../src/core/guest/specification.js";
import { lowestFreeVmid, lowestFreeVmids } from "../../src/reads/models/nextVmid.js";
import * as vmids from "../../src/store/vmid.js";
import { contextOf, userViewer } from "../support/context.js";
import { eventually } from "../support/eventually.js";
import { refusedAs } from "../support/refusal.js";
import { plant, type Rows } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { fleet, REQUEST } from "./parallelFleet.js";

const FLEET: Rows = {
  ...fleet([1, 2], 65_536),
  user_account: [{ role: "admin" }],
  guest: [{ vmid: 100 }],
  ip_zone: [{}],
  job: [{ kind: "guest_delete", status: "running", vmid: 101 }],
  resource_lock: [{ key: "guest:1:101" }, { key: "guest:1:103" }],
};

const hostsOf = async (queued: readonly Promise<QueuedGuest>[]): Promise<number[]> =>
  (await Promise.all(queued)).map(({ placement }) => placement.hostId);

describe("placement: what another request has taken", () => {
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices();
    await plant(services.pool, FLEET);
  });
  afterEach(() => services.close());

  const create = (changes: GuestCreateRequest = {}, hostId: number | null = 1): Promise<QueuedGuest> =>
    createGuest(contextOf(services, userViewer(UserRole.ADMIN, 1)), hostId, { ...REQUEST, ...changes });

  /** Runs `work` while another connection has these rows planted and not committed; it commits once `work` waits for it. */
  async function besides<Result>(rows: Rows, work: () => Promise<Result>): Promise<Result> {
    const other: PoolClient = await services.pool.connect();
    try {
      await other.query("begin");
      await plant(other, rows);
      const working = work();
      await eventually(async () => {
        const { rows: locks } = await services.pool.query<{ waiting: number }>(
          `select count(*)::int as waiting from pg_locks where not granted and locktype = 'transactionid'`,
        );
        assert.equal(locks[0]?.waiting, 1);
      });
      await other.query("commit");
      return await working;
    } finally {
      other.release();
    }
  }

  it("gives no VMID that a job still locks, as a deletion does between the guest's last record and its own end", async () => {
    assert.equal(await lowestFreeVmid(services.pool, 1), 102);
    assert.deepEqual(await lowestFreeVmids(services.pool, 1, { count: 3, except: [104] }), [102, 105, 106]);
    assert.equal((await create()).vmid, 102);
    assert.equal((await create()).vmid, 104);
  });

  it("refuses a VMID that a job still locks to a caller that asks for it", async () => {
    assert.equal((await refusedAs("conflict", create({ vmid: 101 }))).reason, "VMID_TAKEN");
  });

  it("reports of each VMID whether a guest, a reservation or a lock holds it, but for those of the job that asks", async () => {
    await create({ vmid: 200 });
    const asked = [100, 101, 102, 200].map((vmid) => ({ hostId: 1, vmid }));
    assert.deepEqual(
      (await vmids.taken(services.pool, [...asked, { hostId: 2, vmid: 101 }])).toSorted((a, b) => a.vmid - b.vmid),
      [100, 101, 200].map((vmid) => ({ hostId: 1, vmid })),
    );
    assert.equal(await isVmidTaken(services.pool, 1, { vmid: 101, exceptJobId: 1 }), false);
    assert.equal(await isVmidTaken(services.pool, 1, { vmid: 200, exceptJobId: 1 }), true);
  });

  it("searches beyond a block of VMIDs that only locks fill", async () => {
    await services.pool.query(
      `insert into resource_lock (key, job_id) select 'guest:1:' || v, 1 from generate_series(100, 1123) v on conflict do nothing`,
    );
    assert.equal(await lowestFreeVmid(services.pool, 1), 1124);
  });

  const range = (hostId: number, upper: number) =>
    services.pool.query(`update host set vmid_lower = 100, vmid_upper = $2 where id = $1`, [hostId, upper]);

  it("leaves out a host that has no VMID to give, and names its range when there is no other", async () => {
    await range(1, 102);
    assert.deepEqual(await hostsOf([1, 2].map(() => create({}, null))), [2, 2]);
    await range(2, 102);
    const { reason, message } = await refusedAs("conflict", create({}, null));
    assert.equal(reason, "NO_FREE_VMID");
    assert.match(message, /^host (alpha|beta) gives VMIDs from 100 to 101, and none of them is free$/);
    assert.equal((await create({ vmid: 500 }, null)).vmid, 500);
  });

  it("chooses the next VMID when the chosen one is locked at the same moment", async () => {
    const lock = { resource_lock: [{ key: "guest:1:102" }] };
    assert.equal((await besides(lock, () => create())).vmid, 104);
  });

  it("refuses a requested VMID that is locked at the same moment, and reserves the others that came with it", async () => {
    const lock = { resource_lock: [{ key: "guest:1:501" }] };
    const answers = await besides(lock, () =>
      Promise.allSettled([500, 501, 502].map((vmid) => create({ vmid }))).then((all) => all),
    );
    assert.deepEqual(
      answers.map((answer) => (answer.status === "fulfilled" ? answer.value.vmid : answer.reason.reason)),
      [500, "VMID_TAKEN", 502],
    );
    const { rows } = await services.pool.query(`select vmid from vmid_reservation order by vmid`);
    assert.deepEqual(rows, [{ vmid: 500 }, { vmid: 502 }]);
  });

  it("places a guest without a host on the next best one where its VMID is free, and refuses it where all have it", async () => {
    await services.pool.query(`update node set memory_used_mb = 60000 where host_id = 2`);
    const free = await create({ vmid: 300 }, null);
    assert.equal(free.placement.hostId, 1);
    for (const taken of [100, 101, 300]) {
      assert.deepEqual((await create({ vmid: taken }, null)).placement.hostId, 2, String(taken));
    }
    const refused = await refusedAs("conflict", create({ vmid: 300 }, null));
    assert.equal(refused.reason, "VMID_TAKEN");
    assert.equal(
      refused.message,
      "VMID 300 is free on no host that has room: pve1 of host 1: VMID 300 is taken on host alpha; pve2 of host 2: VMID 300 is taken on host beta",
    );
    await services.pool.query(`update node set memory_used_mb = memory_mb where host_id = 2`);
    const full = await refusedAs("conflict", create({ vmid: 101 }, null));
    assert.equal(full.reason, "VMID_TAKEN");
    assert.match(
      full.message,
      /^VMID 101 is free on no host that has room: .*taken on host alpha; pve2 of host 2: needs 512 MiB/,
    );
  });

  it("places a guest without a host on another one when its VMID is locked on the best at the same moment", async () => {
    await services.pool.query(`update node set memory_used_mb = 60000 where host_id = 2`);
    const lock = { resource_lock: [{ key: "guest:1:600" }] };
    assert.equal((await besides(lock, () => create({ vmid: 600 }, null))).placement.hostId, 2);
  });

  it("gives the next address when a sync finds a guest with the chosen one at the same moment", async () => {
    const adopt = { ip_address: [{ address: "10.0.0.2", guest_id: 1 }] };
    await besides(adopt, () => create({ ipSource: "zone:1" }));
    const { rows } = await services.pool.query(
      `select host(address) as address from ip_address where job_id is not null`,
    );
    assert.deepEqual(rows, [{ address: "10.0.0.3" }]);
  });
});
