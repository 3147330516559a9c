// Who held which address: the database puts it on record itself, whoever writes.
import assert from "node:assert/strict";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { plant, type Rows } from "../support/rows.js";

const WORLD: Rows = {
  user_account: [{ username: "ann" }, { username: "bob" }],
  host: [{}],
  node: [{}],
  guest: [
    { vmid: 100, name: "web", owner_id: 1 },
    { vmid: 101, name: "box" },
  ],
  ip_zone: [{ name: "lan" }],
  job: [{}],
};

describe("db/addressHistory", () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
    await plant(database.pool, WORLD);
  });
  afterEach(() => database.close());

  const write = (sql: string) => database.pool.query(sql);
  const reserve = () => plant(database.pool, { ip_address: [{ address: "10.1.0.10", job_id: 1 }] });
  const give = (guestId: number | null) => write(`update ip_address set guest_id = ${guestId}`);
  const release = () => write(`delete from ip_address`);

  /** All periods of the address, oldest first: guest, owner, whether it lasts. */
  async function periods(): Promise<unknown[]> {
    const { rows } = await database.pool.query<{ period: unknown[] }>(
      `select json_build_array(guest_name, owner_name, until is null) as period from ip_address_holding order by id`,
    );
    return rows.map(({ period }) => period);
  }

  it("begins with the reservation, which the guest takes over", async () => {
    await reserve();
    assert.deepEqual(await periods(), [[null, null, true]]);
    await give(1);
    assert.deepEqual(await periods(), [["web", "ann", true]]);
    const { rows } = await write(
      `select host_id, zone_id, zone_name, host(address) as address, job_id, guest_id, vmid, owner_id from ip_address_holding`,
    );
    assert.deepEqual(rows, [
      {
        host_id: 1,
        zone_id: 1,
        zone_name: "lan",
        address: "10.1.0.10",
        job_id: 1,
        guest_id: 1,
        vmid: 100,
        owner_id: 1,
      },
    ]);
  });

  it("keeps a period that ended when the address is another's", async () => {
    await reserve();
    await give(1);
    await release();
    assert.deepEqual(await periods(), [["web", "ann", false]]);
    await plant(database.pool, { ip_address: [{ address: "10.1.0.10", guest_id: 2 }] });
    await give(1);
    assert.deepEqual(await periods(), [
      ["web", "ann", false],
      ["box", null, false],
      ["web", "ann", true],
    ]);
  });

  it("begins again with another owner of the guest", async () => {
    await reserve();
    await give(1);
    await write(`update guest set owner_id = 2, name = 'shop' where id = 1`);
    await write(`update guest set owner_id = 2 where id = 1`);
    await write(`delete from user_account where id = 2`);
    assert.deepEqual(await periods(), [
      ["web", "ann", false],
      ["shop", "bob", false],
      ["shop", null, true],
    ]);
  });

  it("records what was reserved for a guest that never came to be", async () => {
    await reserve();
    await release();
    assert.deepEqual(await periods(), [[null, null, false]]);
  });

  it("takes a period without length for none", async () => {
    await write(`begin; insert into ip_address (zone_id, address, guest_id) values (1, '10.1.0.11', 1);
      update guest set owner_id = 2 where id = 1; delete from ip_address; commit`);
    assert.deepEqual(await periods(), []);
  });

  it("outlives guests, zones and people", async () => {
    await reserve();
    await give(1);
    await write(`delete from guest where id = 1; delete from ip_zone; delete from user_account; delete from job`);
    const { rows } = await write(
      `select guest_name, owner_name, zone_name from ip_address_holding order by id limit 1`,
    );
    assert.deepEqual(rows, [{ guest_name: "web", owner_name: "ann", zone_name: "lan" }]);
    const { rows: lasting } = await write(`select 1 from ip_address_holding where until is null`);
    assert.deepEqual(lasting, []);
  });

  it("is written in the transaction that changes hands", async () => {
    await write(`begin; insert into ip_address (zone_id, address, job_id) values (1, '10.1.0.10', 1); rollback`);
    assert.deepEqual(await periods(), []);
  });

  it("has one holder at a time", async () => {
    await reserve();
    await assert.rejects(
      write(`insert into ip_address_holding (host_id, zone_id, zone_name, address) values (1, 1, 'lan', '10.1.0.10')`),
      { code: "23505" },
    );
  });
});
