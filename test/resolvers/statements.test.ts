// A root field costs one SQL statement, however deep it goes and however many records there are.
import assert from "node:assert/strict";
import { countStatements } from "../support/statements.js";
import { startExecution, type Execution } from "./execute.js";

const EVERYTHING = `{
  hosts(perPage: 200) { meta { total } items { id guestCount nodes { name hot samples { at } agent { current } storages { name } networks { name } host { name nodes { name } } } } }
  guests(perPage: 200) { meta { total } items {
    id uptimeSeconds ipAddresses portForwards { publicPort } activeJob { id }
    owner { username guestCount sshKeys { name } } plan { name } host { name nodes { name agent { healthy } } }
  } }
}`;

describe("resolvers/statements", () => {
  let execution: Execution;

  before(async () => {
    execution = await startExecution();
  });
  after(() => execution.services.close());

  const lists: readonly string[] = [
    "{ hosts { items { id } } }",
    "{ nodes(hostId: 1) { items { name } meta { total } } }",
    '{ storages(hostId: 1, node: "a1") { items { name } meta { total } } }',
    "{ guests(filter: { hostIds: [1, 2] }) { items { id host { nodes { storages { name } } } } meta { total } } }",
    "{ ipZones(hostId: 1) { items { used free } meta { total } } }",
    "{ ipAddresses(zoneId: 1) { items { address guest { name } owner { username } history { ownerName } } meta { total } } }",
    "{ ipAddressHistory(filter: { zoneId: 1 }) { items { address guestName since until } meta { total } } }",
    "{ ctTemplates(hostId: 1) { items { volid } meta { total } } }",
    "{ jobs { items { id } meta { total } } }",
    "{ users { items { sshKeys { name } } meta { total } } }",
    "{ apiTokens { id status } }",
    "{ settings { ramWeight } }",
  ];
  for (const query of lists) {
    it(`needs one statement for ${query}`, async () => {
      assert.equal(await countStatements(() => execution.data("manager", query)), 1);
    });
  }

  it("needs no more for a thousand records than for ten", async () => {
    assert.equal(await countStatements(() => execution.data("manager", EVERYTHING)), 2);
    await execution.services.pool.query(
      `insert into guest (host_id, node_id, type, vmid, owner_id, plan_id) select 2, 2, 'lxc', n, 3, 1 from generate_series(1000, 1999) as n`,
    );
    assert.equal(await countStatements(() => execution.data("manager", EVERYTHING)), 2);
  });

  it("finds the next VMID behind a thousand guests without gaps, and in a gap", async () => {
    const { pool } = execution.services;
    await pool.query(
      `insert into guest (host_id, node_id, type, vmid) select 1, 1, 'lxc', n from generate_series(220, 3000) as n on conflict do nothing`,
    );
    assert.deepEqual(await execution.data("plain", "{ nextVmid(hostId: 1) }"), { nextVmid: 3001 });
    await pool.query(`update guest set gone_at = now() where host_id = 1 and vmid in (1124, 2500)`);
    assert.deepEqual(await execution.data("plain", "{ nextVmid(hostId: 1) }"), { nextVmid: 1124 });
  });
});
