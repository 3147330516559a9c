// Checks that the address a zone gives is always its lowest free one, whatever is taken, excluded and given back.
import assert from "node:assert/strict";
import { createIpZone, type IpZoneInput } from "../../src/actions/ipZone.js";
import { takeAddress } from "../../src/actions/takeAddress.js";
import { inTransaction } from "../../src/db/transaction.js";
import { contextOf, managingToken } from "../support/context.js";
import { refusedAs } from "../support/refusal.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { insertNodes } from "./fleet.js";

describe("actions/takeAddress", () => {
  let services: TestServices;
  let zones = 0;

  before(async () => {
    services = await createTestServices();
    await insertNodes(services.pool, [{ host: 1, name: "n1" }]);
    await services.pool.query(
      `insert into job (id, kind, status, host_id) overriding system value values (1, 'guest_create', 'queued', 1)`,
    );
  });
  after(() => services.close());

  /** Each zone has a bridge of its own, so that networks may be alike. */
  const zoneOf = (definition: Pick<IpZoneInput, "cidr" | "gateway" | "excluded">): Promise<number> => {
    const name = `zone${++zones}`;
    return createIpZone(contextOf(services, managingToken()), { hostId: 1, name, bridge: `br${zones}`, ...definition });
  };
  const take = async (zoneId: number): Promise<string> => {
    const zone = { id: zoneId, name: "zone", prefixLength: 24 };
    return (await inTransaction(services.pool, (client) => takeAddress(client, zone, 1))).address;
  };
  const give = async (zoneId: number, address: string): Promise<void> => {
    await services.pool.query(`delete from ip_address where zone_id = $1 and address = $2`, [zoneId, address]);
  };
  const occupy = async (zoneId: number, addresses: readonly string[]): Promise<void> => {
    await services.pool.query(`insert into ip_address (zone_id, address) select $1, unnest($2::inet[])`, [
      zoneId,
      addresses,
    ]);
  };
  const refusedAsFull = async (zoneId: number): Promise<void> =>
    assert.equal((await refusedAs("conflict", take(zoneId))).reason, "IP_ZONE_FULL");

  it("gives each address once, passes over exclusions and is full behind the last", async () => {
    const zone = await zoneOf({ cidr: "10.0.0.0/29", gateway: "10.0.0.1", excluded: ["10.0.0.3-10.0.0.4"] });
    for (const address of ["10.0.0.2", "10.0.0.5", "10.0.0.6"]) assert.equal(await take(zone), address);
    await refusedAsFull(zone);
  });

  it("gives what came back first, the lowest of it, and then goes on where it was", async () => {
    const zone = await zoneOf({ cidr: "10.0.0.0/28" });
    for (let given = 1; given <= 6; given += 1) await take(zone);
    await give(zone, "10.0.0.5");
    await give(zone, "10.0.0.2");
    for (const address of ["10.0.0.2", "10.0.0.5", "10.0.0.7"]) assert.equal(await take(zone), address);
  });

  it("passes over addresses that guests were found with, and exclusions between them", async () => {
    const zone = await zoneOf({ cidr: "10.0.0.0/28", excluded: ["10.0.0.3"] });
    await occupy(zone, ["10.0.0.1", "10.0.0.2", "10.0.0.4", "10.0.0.6"]);
    for (const address of ["10.0.0.5", "10.0.0.7"]) assert.equal(await take(zone), address);
  });

  it("is full when the last addresses are taken already", async () => {
    const zone = await zoneOf({ cidr: "10.0.0.4/31" });
    await occupy(zone, ["10.0.0.5"]);
    assert.equal(await take(zone), "10.0.0.4");
    await refusedAsFull(zone);
  });

  it("gives the start and the end of an IPv6 /64", async () => {
    const zone = await zoneOf({ cidr: "2001:db8::/64", gateway: "2001:db8::1" });
    assert.equal(await take(zone), "2001:db8::2");
    await services.pool.query(`update ip_zone set next_candidate = range_end where id = $1`, [zone]);
    assert.equal(await take(zone), "2001:db8::ffff:ffff:ffff:ffff");
    await refusedAsFull(zone);
  });
});
