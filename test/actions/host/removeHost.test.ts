// Removing hosts: what goes with them, and what keeps them.
import assert from "node:assert/strict";
import { createAgentToken } from "../../../src/actions/host/agentToken.js";
import { removeHost } from "../../../src/actions/host/host.js";
import type { Context } from "../../../src/context/context.js";
import type { Site } from "../../inventory/support/site.js";
import { meet } from "../../support/meet.js";
import { refusedAs } from "../../support/refusal.js";
import { plant } from "../../support/rows.js";
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
    await plant(site.services.pool, { guest: [{}], os_template: [{}], job: [{ status: "done", guest_id: 1 }] });
    await removeHost(context, id);
    assert.equal(await hosts(), 0);
    assert.deepEqual(await site.rows("select host_id from job"), [{ host_id: null }]);
    await refusedAs("notFound", site.services.hypervisors.of(id));
    await refusedAs("notFound", removeHost(context, id));
  });

  it("not while jobs are at work on them", async () => {
    await plant(site.services.pool, { job: [{}] });
    assert.equal((await refusedAs("conflict", removeHost(context, id))).reason, "HOST_BUSY");
    assert.equal(await hosts(), 1);
  });

  it("not when a job is made for them at the same time", async () => {
    const [outcome] = await meet(site.services.pool, (client) => plant(client, { job: [{}] }), [
      () => removeHost(context, id),
    ]);
    assert.ok(outcome?.status === "rejected");
    assert.equal(outcome.reason.reason, "HOST_BUSY");
  });

  it("not while guests move to them", async () => {
    await plant(site.services.pool, { migration: [{ source_host_id: id + 1, target_host_id: id }] });
    assert.equal((await refusedAs("conflict", removeHost(context, id))).reason, "HOST_BUSY");
    await site.rows("update migration set status = 'done', finished_at = now()");
    await removeHost(context, id);
    assert.equal(await hosts(), 0);
  });
});
