// Checks that the address a zone gives is always its lowest free one, whatever is taken, excluded and given back.
import assert from "node:assert/strict";
import { createIpZone, type IpZoneRequest } from "../../src/actions/catalogue/ipZone.js";
import { takeAddress, takeAddresses } from "../../src/placement/takeAddress.js";
import { inTransaction } from "../../src/db/transaction.js";
import { contextOf, managingToken } from "../support/context.js";
import { refusedAs } from "../support/refusal.js";
import { plant } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { meet } from "../support/meet.js";
import { insertNodes } from "./fleet.js";

describe("placement/takeAddress", () => {
  let services: TestServices;
  let zones = 0;

  before(async () => {
    services = await createTestServices();
    await insertNodes(services.pool, [{ host: 1, name: "n1" }]);
    await plant(services.pool, { job: [{}] });
  });
  after(() => services.close());

  /** Each zone has a bridge of its own, so that networks may be alike. */
  const zoneOf = (definition: Pick<IpZoneRequest, "cidr" | "gateway" | "excluded">): Promise<number> => {
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
    await plant(services.pool, { ip_address: addresses.map((address) => ({ zone_id: zoneId, address })) });
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
    for (let given = 1; given <= 11; given += 1) await take(zone);
    await give(zone, "10.0.0.10");
    await give(zone, "10.0.0.9");
    await give(zone, "10.0.0.2");
    const addresses = ["10.0.0.2", "10.0.0.9", "10.0.0.10", "10.0.0.12"];
    for (const address of addresses) assert.equal(await take(zone), address);
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

  it("gives an address that came back to the guest that was found with it, and to no other", async () => {
    const zone = await zoneOf({ cidr: "10.0.0.0/28", excluded: ["10.0.0.9"] });
    for (let given = 1; given <= 4; given += 1) await take(zone);
    await give(zone, "10.0.0.2");
    await occupy(zone, ["10.0.0.2", "10.0.0.9", "10.0.0.12"]);
    await give(zone, "10.0.0.9");
    await give(zone, "10.0.0.12");
    const rest = ["10.0.0.5", "10.0.0.6", "10.0.0.7", "10.0.0.8", "10.0.0.10", "10.0.0.11", "10.0.0.12"];
    for (const address of rest) assert.equal(await take(zone), address);
  });

  it("touches as many rows in a /16 and a /64 with thousands of addresses as in a zone with three", async () => {
    const { pool } = services;
    const small = await zoneOf({ cidr: "10.0.0.0/28" });
    const large = await zoneOf({ cidr: "10.0.0.0/16" });
    const v6 = await zoneOf({ cidr: "2001:db8::/64" });
    for (const [zone, given] of [
      [small, 3],
      [large, 5_000],
      [v6, 5_000],
    ] as const) {
      await pool.query(
        `insert into ip_address (zone_id, address) select id, range_start + n from ip_zone, generate_series(0, $2::int - 1) n where id = $1`,
        [zone, given],
      );
      await pool.query(`update ip_zone set next_candidate = range_start + $2::int where id = $1`, [zone, given]);
      await pool.query(
        `delete from ip_address where zone_id = $1 and address in (select range_start + 1 from ip_zone)`,
        [zone],
      );
    }
    await pool.query(`analyze ip_address, ip_zone, ip_zone_returned, ip_zone_exclusion`);
    const [touchedInSmall, ...touchedInLarge] = [await touched(small), await touched(large), await touched(v6)];
    // What came back, and then what was never given.
    assert.equal(touchedInSmall?.length, 2);
    for (const [index, rows] of touchedInLarge.flatMap((counts) => [...counts.entries()])) {
      assert.ok(rows <= (touchedInSmall[index] ?? 0) + 5, `${rows} rows instead of ${touchedInSmall[index]}`);
    }
  });

  /** Rows that each of two takings reads in all tables together. */
  const touched = (zoneId: number): Promise<readonly number[]> =>
    inTransaction(services.pool, async (client) => {
      const count = async (): Promise<number> => {
        const { rows } = await client.query<{ rows: number }>(
          `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables`,
        );
        return rows[0]?.rows ?? Number.NaN;
      };
      const counts = [await count()];
      for (let taking = 1; taking <= 2; taking += 1) {
        await takeAddress(client, { id: zoneId, name: "zone", prefixLength: 24 }, 1);
        counts.push(await count());
      }
      return counts.slice(1).map((after, index) => after - (counts[index] ?? 0));
    });

  it("gives the start and the end of an IPv6 /64", async () => {
    const zone = await zoneOf({ cidr: "2001:db8::/64", gateway: "2001:db8::1" });
    assert.equal(await take(zone), "2001:db8::2");
    await services.pool.query(`update ip_zone set next_candidate = range_end where id = $1`, [zone]);
    assert.equal(await take(zone), "2001:db8::ffff:ffff:ffff:ffff");
    await refusedAsFull(zone);
  });

  it("gives several together what it would have given one after the other, or none when it has too few", async () => {
    const zone = await zoneOf({ cidr: "10.0.0.0/28", excluded: ["10.0.0.6"] });
    const takeSeveral = async (count: number): Promise<string[]> => {
      const jobIds = Array.from({ length: count }, () => 1);
      const named = { id: zone, name: "zone", prefixLength: 28 };
      const taken = await inTransaction(services.pool, (client) => takeAddresses(client, named, jobIds));
      return taken.map(({ address }) => address);
    };
    for (let given = 1; given <= 3; given += 1) await take(zone);
    await give(zone, "10.0.0.2");
    await occupy(zone, ["10.0.0.5", "10.0.0.8"]);
    assert.deepEqual(await takeSeveral(4), ["10.0.0.2", "10.0.0.4", "10.0.0.7", "10.0.0.9"]);
    assert.equal((await refusedAs("conflict", takeSeveral(6))).reason, "IP_ZONE_FULL");
    const rest = ["10.0.0.10", "10.0.0.11", "10.0.0.12", "10.0.0.13", "10.0.0.14"];
    assert.deepEqual(await takeSeveral(5), rest);
    await refusedAsFull(zone);
  });

  it("gives those who come at once the lowest ones, each another", async () => {
    const zone = await zoneOf({ cidr: "10.0.0.0/28", gateway: "10.0.0.1" });
    const taken = await meet(
      services.pool,
      (client) => client.query("select from ip_zone where id = $1 for update", [zone]),
      Array.from({ length: 3 }, () => () => take(zone)),
    );
    const addresses = taken.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : String(outcome.reason)));
    assert.deepEqual(addresses.toSorted(), ["10.0.0.2", "10.0.0.3", "10.0.0.4"]);
  });
});
