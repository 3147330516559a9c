// Many creations at once: nothing is reserved twice, and a creation that comes too late is refused.
import assert from "node:assert/strict";
import type { Pool } from "pg";
import { createGuest } from "../../src/actions/guest/createGuest.js";
import type { QueuedGuest } from "../../src/placement/creation.js";
import type { Viewer } from "../../src/access/viewer.js";
import type { Services } from "../../src/context/context.js";
import { UserRole } from "../../src/core/enums.js";
import type { GuestCreateRequest } from "../../src/core/guest/specification.js";
import { openPool } from "../../src/db/pool.js";
import { DroverError } from "../../src/errors/errors.js";
import { contextOf, userViewer } from "../support/context.js";
import { silentLog } from "../support/log.js";
import { plant } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { fleet, REQUEST } from "./parallelFleet.js";

const PATIENCE = { connectMs: 120_000, statementMs: 120_000 };
const GUEST_MB = 1024;
const RESELLER = 1;
const THEIR_CUSTOMER = 2;

interface Size {
  /** How many guests fit on each of the two nodes of each of the two hosts. */
  readonly guestsANode: number;
  readonly addresses: number;
}

async function furnish(pool: Pool, { guestsANode, addresses }: Size): Promise<void> {
  await plant(pool, {
    ...fleet([1, 1, 2, 2], guestsANode * GUEST_MB),
    user_account: [
      { username: "reseller", role: "reseller" },
      { username: "theirs", created_by: RESELLER },
    ],
    reseller_node: [1, 2, 3, 4].map((node) => ({ user_id: RESELLER, node_id: node })),
    ip_zone: [{ cidr: "10.0.0.0/16", range_end: `10.0.0.${1 + addresses}` }],
  });
}

interface Outcome {
  readonly made: readonly QueuedGuest[];
  /** Reasons of the refusals. */
  readonly refused: readonly (string | undefined)[];
}

/** Asks so many times at once, in turns by each of the processes. */
async function ask(processes: readonly Services[], count: number, asked: Asked = {}): Promise<Outcome> {
  const { hostId = 1, changes = {}, viewer = userViewer(UserRole.ADMIN, 1) } = asked;
  const answers = await Promise.allSettled(
    Array.from({ length: count }, (_, index) => {
      const services = processes[index % processes.length] ?? assert.fail("there is a process");
      return createGuest(contextOf(services, viewer), hostId, { ...REQUEST, memoryMb: GUEST_MB, ...changes });
    }),
  );
  return {
    made: answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : [])),
    refused: answers.flatMap((answer) => (answer.status === "rejected" ? [reasonOf(answer.reason)] : [])),
  };
}

interface Asked {
  /** Null: of every host. */
  readonly hostId?: number | null;
  readonly changes?: GuestCreateRequest;
  readonly viewer?: Viewer;
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof DroverError) return error.reason;
  throw error;
}

/** No VMID twice on a host, no address twice, no node with more than fits. */
async function checkInvariants(pool: Pool, made: number, { guestsANode }: Size): Promise<void> {
  const { rows } = await pool.query(`
    select count(*)::int as made, count(distinct (j.host_id, j.vmid))::int as vmids,
      (select count(*)::int from vmid_reservation) as reserved, (select count(*)::int from resource_lock) as locks,
      (select count(distinct address) = count(*) from ip_address) as "addressesOnce",
      coalesce((select max(sum)::int from (select sum(memory_mb) from capacity_reservation group by node_id) nodes), 0) <= ${guestsANode * GUEST_MB} as fits
    from job j`);
  assert.deepEqual(rows, [{ made, vmids: made, reserved: made, locks: made, addressesOnce: true, fits: true }]);
}

const countOf = (refused: Outcome["refused"], reason: string): number => refused.filter((one) => one === reason).length;

describe("actions/createGuest, many at once", function () {
  this.timeout(180_000);
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices();
  });
  afterEach(() => services.close());

  for (const count of [50, 200]) {
    it(`gives ${count} guests each a VMID and an address of its own`, async () => {
      const size = { guestsANode: count, addresses: count };
      await furnish(services.pool, size);
      const { made, refused } = await ask([services], count, { changes: { ipSource: "zone:1" } });
      assert.deepEqual(refused, []);
      assert.deepEqual(
        made.map(({ vmid }) => vmid).toSorted((left, right) => left - right),
        Array.from({ length: count }, (_, index) => 100 + index),
      );
      await checkInvariants(services.pool, count, size);
      const { rows } = await services.pool.query(`select count(*)::int as taken from ip_address`);
      assert.deepEqual(rows, [{ taken: count }]);
    });
  }

  it("fills the nodes of a host exactly, and refuses the rest", async () => {
    const size = { guestsANode: 20, addresses: 200 };
    await furnish(services.pool, size);
    const { made, refused } = await ask([services], 200);
    assert.equal(made.length, 40);
    assert.equal(countOf(refused, "NO_NODE_HAS_ROOM"), 160);
    await checkInvariants(services.pool, 40, size);
  });

  it("fills all hosts when none is named", async () => {
    const size = { guestsANode: 10, addresses: 200 };
    await furnish(services.pool, size);
    const { made, refused } = await ask([services], 100, { hostId: null });
    assert.equal(made.length, 40);
    assert.equal(countOf(refused, "NO_NODE_HAS_ROOM"), 60);
    await checkInvariants(services.pool, 40, size);
  });

  it("gives out a zone to its last address, and refuses the rest", async () => {
    const size = { guestsANode: 200, addresses: 30 };
    await furnish(services.pool, size);
    const { made, refused } = await ask([services], 50, { changes: { ipSource: "zone:1" } });
    assert.equal(made.length, 30);
    assert.equal(countOf(refused, "IP_ZONE_FULL"), 20);
    await checkInvariants(services.pool, 30, size);
  });

  it("gives one VMID that many ask for to one of them", async () => {
    await furnish(services.pool, { guestsANode: 100, addresses: 1 });
    const { made, refused } = await ask([services], 50, { changes: { vmid: 4711 } });
    assert.equal(made.length, 1);
    assert.equal(countOf(refused, "VMID_TAKEN"), 49);
  });

  it("is not stuck when resellers, whose nodes have to be looked up, take every connection", async () => {
    const size = { guestsANode: 100, addresses: 1 };
    await furnish(services.pool, size);
    const viewer = userViewer(UserRole.RESELLER, RESELLER);
    const { made } = await ask([services], 60, { viewer, changes: { ownerId: THEIR_CUSTOMER } });
    assert.equal(made.length, 60);
    await checkInvariants(services.pool, 60, size);
  });

  it("holds for three processes on one database", async () => {
    const size = { guestsANode: 25, addresses: 200 };
    await furnish(services.pool, size);
    const pools = [1, 2, 3].map(() =>
      openPool({ url: services.database.url, purpose: "test", size: 10, log: silentLog, patience: PATIENCE }),
    );
    try {
      const processes = pools.map((pool) => ({ ...services, pool }));
      const [zoned, others] = await Promise.all([
        ask(processes, 100, { changes: { ipSource: "zone:1" } }),
        ask(processes, 100, { hostId: null }),
      ]);
      assert.equal(zoned.made.length + others.made.length, 100);
      assert.equal(countOf([...zoned.refused, ...others.refused], "NO_NODE_HAS_ROOM"), 100);
      await checkInvariants(services.pool, 100, size);
    } finally {
      await Promise.all(pools.map((pool) => pool.end()));
    }
  });
});
