// Removing hosts: what goes with them, and what keeps them.
import assert from "node:assert/strict";
import { createAgentToken } from "../../../src/actions/host/agentToken.js";
import { removeHost } from "../../../src/actions/host/host.js";
import type { Context } from "../../../src/context/context.js";
import type { Site } from "../../inventory/support/site.js";
import { meet } from "../../support/meet.js";
import { refusedAs } from "../../support/refusal.js";
import { openConnected } from "./input.js";

describe("hosts are removed", () => {
  let site: Site;
  let context: Context;
  let id: number;
  beforeEach(async () => {
    ({ site, context, id } = await openConnected());
  });
  afterEach(() => site.close());

  const hosts = async () => (await site.rows("select from host")).length;

  it("with everything known of them", async () => {
    await createAgentToken(context, id, "pvea");
    await site.rows("insert into guest (host_id, node_id, type, vmid) select $1, id, 'qemu', 100 from node", id);
    await site.rows("insert into os_template (host_id, node_id, vmid, name) select $1, id, 100, 'x' from node", id);
    await site.rows(
      "insert into job (kind, status, host_id, guest_id, finished_at) values ('guest_create', 'done', $1, 1, now())",
      id,
    );
    await removeHost(context, id);
    assert.equal(await hosts(), 0);
    assert.deepEqual(await site.rows("select host_id from job"), [{ host_id: null }]);
    await refusedAs("notFound", site.services.hypervisors.of(id));
    await refusedAs("notFound", removeHost(context, id));
  });

  it("not while jobs are at work on them", async () => {
    await site.rows("insert into job (kind, host_id) values ('guest_create', $1)", id);
    assert.equal((await refusedAs("conflict", removeHost(context, id))).reason, "HOST_BUSY");
    assert.equal(await hosts(), 1);
  });

  it("not when a job is made for them at the same time", async () => {
    const [outcome] = await meet(
      site.services.pool,
      (client) => client.query("insert into job (kind, host_id) values ('guest_create', $1)", [id]),
      [() => removeHost(context, id)],
    );
    assert.ok(outcome?.status === "rejected");
    assert.equal(outcome.reason.reason, "HOST_BUSY");
  });

  it("not while guests move to them", async () => {
    await site.rows(
      `insert into migration (guest_id, guest_name, guest_type, vmid, target_vmid, source_host_id, source_node,
         target_host_id, target_node, mode)
       values (1, 'g', 'qemu', 100, 100, $1 + 1, 'pvex', $1, 'pvea', 'live')`,
      id,
    );
    assert.equal((await refusedAs("conflict", removeHost(context, id))).reason, "HOST_BUSY");
    await site.rows("update migration set status = 'done', finished_at = now()");
    await removeHost(context, id);
    assert.equal(await hosts(), 0);
  });
});
