// What a migration says of the original that it left, while this and that holds it.
import assert from "node:assert/strict";
import type { JobKind } from "../../src/core/enums.js";
import { plant, planted } from "../support/rows.js";
import { startExecution, type Execution } from "./execute.js";

/** The guest of host 2 that is a safety copy. */
const COPY = 122;

describe("resolvers/safetyCopyState", () => {
  let execution: Execution;
  before(async () => {
    execution = await startExecution();
    await plant(execution.services.pool, {
      migration: [{ source_host_id: 2, target_host_id: 1, status: "running", safety_copy_guest_id: COPY }],
    });
  });
  after(() => execution.services.close());

  const hold = async (kind: JobKind): Promise<void> => {
    const { id } = await planted(execution.services.pool, "job", { kind, status: "running", host_id: 2 });
    await plant(execution.services.pool, { resource_lock: [{ key: "guest:2:101", job_id: id }] });
  };
  const told = () => execution.data("manager", "{ migration(id: 1) { safetyCopy } }");

  for (const [kind, state] of [
    ["migration", "KEPT"],
    ["safety_copy_delete", "DELETING"],
    ["guest_delete", "DELETING"],
  ] as const) {
    it(`is ${state} while a job of the kind ${kind} holds it`, async () => {
      await hold(kind);
      assert.deepEqual(await told(), { migration: { safetyCopy: state } });
      await execution.rows("delete from resource_lock where key = 'guest:2:101'");
    });
  }

  it("is KEPT while no job holds it, DELETED when it is gone, and NONE before there is one", async () => {
    assert.deepEqual(await told(), { migration: { safetyCopy: "KEPT" } });
    await execution.rows("update guest set gone_at = now() where safety_copy");
    assert.deepEqual(await told(), { migration: { safetyCopy: "DELETED" } });
    await execution.rows("update migration set safety_copy_guest_id = null");
    assert.deepEqual(await told(), { migration: { safetyCopy: "NONE" } });
  });
});
