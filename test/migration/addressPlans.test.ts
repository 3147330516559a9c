// What becomes of the addresses of guests that move: kept, replaced by the next free one, refused, or none of its business.
import assert from "node:assert/strict";
import { planAddresses } from "../../src/migration/addressPlans.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { insertGuests, insertNodes } from "../placement/fleet.js";

describe("migration/addressPlans", () => {
  let services: TestServices;
  let [moving, kept, dhcp, third]: number[] = [];

  before(async () => {
    services = await createTestServices();
    await insertNodes(
      services.pool,
      [1, 2, 3].map((host) => ({ host, name: `n${host}` })),
    );
    [moving = 0, kept = 0, dhcp = 0, third = 0] = await insertGuests(
      services.pool,
      [101, 102, 103, 104].map((vmid) => ({ host: 1, node: "n1", vmid })),
    );
    await services.pool.query(
      `insert into ip_zone (id, host_id, name, cidr, range_start, range_end, bridge, total, next_candidate) overriding system value
       values (1, 1, 'one', '192.0.2.0/24', '192.0.2.10', '192.0.2.20', 'vmbr0', 11, '192.0.2.12'),
              (2, 2, 'two', '198.51.100.0/24', '198.51.100.10', '198.51.100.14', 'vmbr0', 5, '198.51.100.10'),
              (3, 2, 'wide', '192.0.2.0/24', '192.0.2.10', '192.0.2.12', 'vmbr0', 3, '192.0.2.13')`,
    );
    await services.pool.query(
      `insert into ip_address (zone_id, address, guest_id)
       values (1, '192.0.2.10', $1), (1, '192.0.2.11', $2), (1, '192.0.2.12', $3), (2, '198.51.100.10', null),
              (3, '192.0.2.10', null), (3, '192.0.2.12', null)`,
      [moving, kept, third],
    );
    await services.pool.query(`insert into ip_zone_exclusion values (2, '198.51.100.11', '198.51.100.12')`);
  });
  after(() => services.close());

  const planFor = async (guestId: number | undefined, toHostId: number, zoneId: number | null = null) => {
    const plans = await planAddresses(services.pool, [{ guestId: guestId ?? 0, toHostId, zoneId }]);
    const planning = plans.get(guestId ?? 0);
    return [planning?.plan.kind, planning?.plan.newAddress, planning?.problem?.code ?? null];
  };

  it("gives the next address that is neither taken nor excluded", async () => {
    assert.deepEqual(await planFor(moving, 2, 2), ["reassign", "198.51.100.13", null]);
  });

  it("keeps an address that a zone of the target covers and has free", async () => {
    assert.deepEqual(await planFor(kept, 2), ["keep", "192.0.2.11", null]);
  });

  it("offers what an earlier guest gets to no later one", async () => {
    const asked = [moving, dhcp, third, kept].map((guestId = 0) => ({ guestId, toHostId: 2, zoneId: 2 }));
    const plans = await planAddresses(services.pool, asked);
    assert.deepEqual(
      [...plans.values()].map(({ plan, problem }) => [plan.newAddress, problem?.code ?? null]),
      [
        ["198.51.100.13", null],
        [null, null],
        ["198.51.100.14", null],
        [null, "IP_ZONE_FULL"],
      ],
    );
  });

  it("reports when the target's zones are full or missing", async () => {
    await services.pool.query(
      `insert into ip_address (zone_id, address) values (2, '198.51.100.13'), (2, '198.51.100.14')`,
    );
    assert.deepEqual(await planFor(moving, 2, 2), ["reassign", null, "IP_ZONE_FULL"]);
    assert.deepEqual(await planFor(moving, 3), ["reassign", null, "IP_ZONE_MISSING"]);
  });

  it("offers what came back before what was never given", async () => {
    await services.pool.query(
      `update ip_zone set next_candidate = '198.51.100.15', range_end = '198.51.100.15' where id = 2`,
    );
    await services.pool.query(`delete from ip_address where zone_id = 2 and address = '198.51.100.13'`);
    const asked = [moving, third, kept].map((guestId = 0) => ({ guestId, toHostId: 2, zoneId: 2 }));
    const plans = await planAddresses(services.pool, asked);
    assert.deepEqual(
      [...plans.values()].map(({ plan }) => plan.newAddress),
      ["198.51.100.13", "198.51.100.15", null],
    );
  });

  it("leaves guests without an address of a zone alone", async () => {
    assert.deepEqual(await planFor(dhcp, 2), ["untouched", null, null]);
  });
});
