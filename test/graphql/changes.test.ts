// The subscription `changes`: which kinds of records are no longer as they were, and who hears of which.
import assert from "node:assert/strict";
import type { Listener } from "./support/listener.js";
import { LiveStage } from "./support/liveStage.js";
import { storeToken } from "../support/tokens.js";
import { RUNNING_JOB } from "./support/world.js";

describe("graphql: changes", () => {
  let stage: LiveStage;
  beforeEach(async () => {
    stage = await LiveStage.open();
  });
  afterEach(() => stage.close());

  it("reports which kinds of records changed", async () => {
    const listener = stage.listen(stage.world.admin, "subscription { changes { kind } }");
    await stage.service.listeners("hostSeen", 1);
    await stage.sql(`update guest set status = 'paused' where host_id = 2 and vmid = 100`);
    assert.equal(await nextKind(listener), "GUEST");
    await stage.sql(`update host set last_sync_at = now() where id = 1`);
    assert.equal(await nextKind(listener), "HOST");
    await stage.sql(`update job set progress = 0.75 where id = $1`, [RUNNING_JOB]);
    assert.equal(await nextKind(listener), "JOB");
    await stage.sql(`update plan set active = false where id = 1`);
    assert.equal(await nextKind(listener), "PLAN");
    await stage.sql(`update setting set max_suggestions = 3`);
    assert.equal(await nextKind(listener), "SETTINGS");
    await stage.sql(`delete from ssh_key`);
    assert.equal(await nextKind(listener), "USER");
  });

  it("reports nothing of other hosts' templates and addresses to a token of bounded scope", async () => {
    const { value: token } = await storeToken(stage.service.services.pool, {
      name: "one",
      permissions: ["hosts.manage"],
      connection_scope: [2],
    });
    const listener = stage.listen(token, "subscription { changes { kind } }");
    await stage.service.listeners("hostSeen", 1);
    await stage.sql(`update os_template set name = 'Debian 13' where host_id = 1`);
    await stage.sql(`delete from ip_address`);
    await stage.sql(`update host set last_sync_at = now() where id = 1`);
    await stage.sql(`update ct_template set active = false`);
    assert.equal(await nextKind(listener), "TEMPLATE");
    await stage.sql(`update host set last_sync_at = now() where id = 2`);
    assert.equal(await nextKind(listener), "HOST");
  });

  it("reports requests of programs", async () => {
    const listener = stage.listen(stage.world.admin, "subscription { changes { kind } }");
    await stage.service.listeners("request", 1);
    await fetch(`${stage.service.origin}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${stage.world.plain}` },
      body: JSON.stringify({ query: "{ viewer { hostIds } }" }),
    });
    assert.equal(await nextKind(listener, ["TOKEN"]), "REQUEST");
  });

  it("reports that everything may have changed while the announcements were lost", async () => {
    const listener = stage.listen(stage.world.admin, "subscription { changes { kind } }");
    await stage.service.listeners("hostSeen", 1);
    await stage.sql(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'drover events'
      and datname = current_database()`);
    const kinds = new Set<unknown>();
    while (kinds.size < 12) {
      kinds.add(await nextKind(listener, []));
    }
    const inventory = ["GUEST", "HOST", "JOB", "MIGRATION", "RUN"];
    const catalogue = ["USER", "PLAN", "TEMPLATE", "ADDRESS", "TOKEN", "SETTINGS", "REQUEST"];
    assert.deepEqual([...kinds], [...inventory, ...catalogue]);
  });
});

/** @returns the next kind; that a token was used, and for what, is told a little later, whatever else happens. */
async function nextKind(listener: Listener, ofTokens: readonly unknown[] = ["TOKEN", "REQUEST"]): Promise<unknown> {
  for (;;) {
    const { changes } = await listener.next();
    if (typeof changes !== "object" || changes === null || !("kind" in changes)) throw new Error("No change was told");
    if (!ofTokens.includes(changes.kind)) return changes.kind;
  }
}
