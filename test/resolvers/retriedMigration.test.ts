// A failed migration whose target has lost what its plan names: no retry is promised, and none begins.
import assert from "node:assert/strict";
import { plant, type Rows } from "../support/rows.js";
import { startExecution, type Execution } from "./execute.js";

const TARGET: Rows = {
  node: [{ host_id: 3, name: "g1", memory_mb: 4096 }],
  ip_zone: [{ host_id: 3, name: "away" }],
};

/** The guest 121 of host 2 was to go to host 3, with an address of the zone there. */
const FAILED = `
  with zone as (select id from ip_zone where name = 'away'),
    ended as (
      insert into job (kind, status, host_id, node, vmid, guest_id, error, finished_at, input)
      select 'migration', 'failed', 2, 'b1', 100, 121, 'refused', now(), json_build_object(
        'migrationId', 1, 'guestId', 121, 'type', 'lxc', 'name', 'box',
        'source', json_build_object('hostId', 2, 'nodeId', b.id, 'node', 'b1', 'vmid', 100),
        'target', json_build_object('hostId', 3, 'nodeId', g.id, 'node', 'g1', 'vmid', 900),
        'mode', 'offline', 'bytesTotal', 1, 'expectedSeconds', null, 'storages', '{}'::text[], 'bridges', '{}'::text[],
        'room', json_build_object('memoryMb', 64, 'storages', '{}'::text[]),
        'ipPlan', json_build_object('kind', 'reassign', 'currentAddress', null, 'newAddress', '10.0.0.2', 'zoneId', zone.id, 'explanation', ''),
        'dropPortForwards', false, 'portForwards', '{}'::text[], 'bandwidthMib', null, 'vmidAsked', false)
      from zone, node b, node g where b.name = 'b1' and g.host_id = 3
      returning id)
  insert into migration (job_id, guest_id, guest_name, guest_type, vmid, target_vmid, source_host_id, source_node, target_host_id,
    target_node, mode, status, error)
  select id, 121, 'box', 'lxc', 100, 900, 2, 'b1', 3, 'g1', 'offline', 'failed', 'refused' from ended`;

describe("resolvers/retryMigration of what the target has lost", () => {
  let execution: Execution;
  before(async () => {
    execution = await startExecution();
    await plant(execution.services.pool, TARGET);
    await execution.rows(FAILED);
  });
  after(() => execution.services.close());

  const retryable = () => execution.data("manager", "{ migration(id: 1) { retryable } }");
  const refusal = async () => (await execution.refuseMutation("manager", "retryMigration(id: 1) { id }")).reason;

  it("reports a zone that was deleted", async () => {
    assert.deepEqual(await retryable(), { migration: { retryable: true } });
    await execution.rows("delete from ip_zone where name = 'away'");
    assert.equal(await refusal(), "IP_ZONE_MISSING");
  });

  it("is not to be had when the target host was removed", async () => {
    await execution.mutate("manager", "removeHost(id: 3)");
    assert.deepEqual(await retryable(), { migration: { retryable: false } });
    assert.equal(await refusal(), "NOT_RETRYABLE");
  });
});
