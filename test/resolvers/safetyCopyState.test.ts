// What a migration says of the original that it left, while this and that holds it.
import assert from "node:assert/strict";
import { startExecution, type Execution } from "./execute.js";

const MOVED = `
  insert into migration (guest_id, guest_name, guest_type, vmid, target_vmid, source_host_id, source_node, target_host_id, target_node,
    mode, status, safety_copy_guest_id)
  select id, name, type, vmid, vmid, 2, 'b1', 1, 'a1', 'offline', 'running', id from guest where safety_copy`;

const heldBy = (kind: string): string => `
  with made as (insert into job (kind, status, host_id, node, vmid) values ('${kind}', 'running', 2, 'b1', 101) returning id)
  insert into resource_lock (key, job_id) select 'guest:2:101', id from made`;

describe("resolvers/safetyCopyState", () => {
  let execution: Execution;
  before(async () => {
    execution = await startExecution();
    await execution.rows(MOVED);
  });
  after(() => execution.services.close());

  const told = () => execution.data("manager", "{ migration(id: 1) { safetyCopy } }");

  for (const [kind, state] of [
    ["migration", "KEPT"],
    ["safety_copy_delete", "DELETING"],
    ["guest_delete", "DELETING"],
  ] as const) {
    it(`is ${state} while a job of the kind ${kind} holds it`, async () => {
      await execution.rows(heldBy(kind));
      assert.deepEqual(await told(), { migration: { safetyCopy: state } });
      await execution.rows("delete from resource_lock where key = 'guest:2:101'");
    });
  }

  it("is KEPT while nobody holds it, DELETED when it is gone, and NONE before there is one", async () => {
    assert.deepEqual(await told(), { migration: { safetyCopy: "KEPT" } });
    await execution.rows("update guest set gone_at = now() where safety_copy");
    assert.deepEqual(await told(), { migration: { safetyCopy: "DELETED" } });
    await execution.rows("update migration set safety_copy_guest_id = null");
    assert.deepEqual(await told(), { migration: { safetyCopy: "NONE" } });
  });
});
