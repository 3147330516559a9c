// Starting and stopping runs on rows of the inventory: what is refused, who goes where, what is reserved.
import assert from "node:assert/strict";
import { startBalanceRun } from "../../../src/actions/run/balanceRun.js";
import { startEvacuation } from "../../../src/actions/run/evacuation.js";
import { loadSnapshot } from "../../../src/placement/placementSnapshot.js";
import { stopRun } from "../../../src/actions/run/run.js";
import { JobKind } from "../../../src/core/enums.js";
import type { Context } from "../../../src/context/context.js";
import { meet } from "../../support/meet.js";
import { countStatements } from "../../support/statements.js";
import { refusedAs } from "../../support/refusal.js";
import { createTestServices, type TestServices } from "../../support/services.js";
import { contextFor } from "../../support/viewers.js";
import { insertGuests, insertNodes } from "../../placement/fleet.js";

describe("actions/evacuation", () => {
  let services: TestServices;
  let context: Context;

  beforeEach(async () => {
    services = await createTestServices();
    context = await contextFor(services);
    await insertNodes(services.pool, [
      { host: 1, name: "old", memoryUsedMb: 12_000 },
      { host: 2, name: "roomy", memoryUsedMb: 10_000 },
      { host: 3, name: "small", memoryUsedMb: 12_000 },
    ]);
  });
  afterEach(() => services.close());

  const guestsOfOld = (...memory: readonly number[]) =>
    insertGuests(
      services.pool,
      memory.map((memoryMb, index) => ({ host: 1, node: "old", vmid: 101 + index, memoryMb })),
    );

  const targets = async (runId: number): Promise<unknown[]> => {
    const { rows } = await services.pool.query<{ node: string | null }>(
      `select to_node as node from run_item where run_id = $1 order by position`,
      [runId],
    );
    return rows.map(({ node }) => node);
  };

  /** MiB by node. */
  const reserved = async (): Promise<Map<string, number>> => {
    const { snapshot } = await loadSnapshot(services.pool, services.clock);
    return new Map(snapshot.nodes.map(({ name, memoryReservedMb }) => [name, memoryReservedMb]));
  };

  it("turns maintenance on, plans the whole run so that no target is over-filled, and wakes a worker", async () => {
    const guestIds = await guestsOfOld(4_000, 4_000, 4_000);
    const id = await startEvacuation(context, { hostId: 1, guestIds });
    assert.deepEqual(
      (await targets(id)).map(String).toSorted((a, b) => (a < b ? -1 : 1)),
      ["null", "roomy", "small"],
    );
    const { rows } = await services.pool.query(`select maintenance from host order by id`);
    assert.deepEqual(rows, [{ maintenance: true }, { maintenance: false }, { maintenance: false }]);
    const { rows: jobs } = await services.pool.query(`select id, kind, host_id, status from job`);
    assert.deepEqual(jobs, [{ id: services.woken[0], kind: "evacuation", host_id: 1, status: "queued" }]);
  });

  it("counts what is reserved for waiting guests against everybody else", async () => {
    const guestIds = await guestsOfOld(4_000);
    await startEvacuation(context, { hostId: 1, targetHostId: 2, guestIds });
    assert.deepEqual(await reserved(), new Map(Object.entries({ old: 0, roomy: 4_000, small: 0 })));
  });

  it("reserves no room twice when two hosts are evacuated at once", async () => {
    const ofOld = await guestsOfOld(4_000);
    const ofSmall = await insertGuests(services.pool, [{ host: 3, node: "small", vmid: 300, memoryMb: 4_000 }]);
    await meet(services.pool, (client) => client.query(`select pg_advisory_xact_lock(hashtext('runs'))`), [
      () => startEvacuation(context, { hostId: 1, targetHostId: 2, guestIds: ofOld }),
      () => startEvacuation(context, { hostId: 3, targetHostId: 2, guestIds: ofSmall }),
    ]);
    assert.equal((await reserved()).get("roomy"), 4_000);
  });

  it("lets one of many starts at once through, and names it to the others", async () => {
    const guestIds = await guestsOfOld(100, 200, 300, 400);
    const starts = await Promise.allSettled(
      guestIds.map((guestId) => startEvacuation(context, { hostId: 1, guestIds: [guestId] })),
    );
    const started = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []));
    assert.equal(started.length, 1);
    const refusal = await refusedAs("conflict", startEvacuation(context, { hostId: 1, guestIds }));
    assert.equal(refusal.reason, "EVACUATION_RUNNING");
    assert.match(refusal.message, new RegExp(`evacuation ${started[0]} `));
  });

  it("skips at once what waits when it is stopped, and leaves maintenance on", async () => {
    const guestIds = await guestsOfOld(100, 200);
    const id = await startEvacuation(context, { hostId: 1, guestIds });
    await stopRun(context, JobKind.EVACUATION, id);
    await stopRun(context, JobKind.EVACUATION, id);
    const { rows } = await services.pool.query(`select status, reason from run_item`);
    const skipped = { status: "skipped", reason: "the run was stopped before its turn" };
    assert.deepEqual(rows, [skipped, skipped]);
    const { rows: hosts } = await services.pool.query(`select maintenance from host where id = 1`);
    assert.deepEqual(hosts, [{ maintenance: true }]);
    await refusedAs("notFound", stopRun(context, JobKind.BALANCE_RUN, id));
  });

  it("leaves no guest waiting when its job ends, in whichever way", async () => {
    const guestIds = await guestsOfOld(100);
    await startEvacuation(context, { hostId: 1, guestIds });
    await services.pool.query(`update job set status = 'failed', error = 'lost', finished_at = now()`);
    const { rows } = await services.pool.query(`select status, reason from run_item`);
    assert.deepEqual(rows, [{ status: "skipped", reason: "the run ended: lost" }]);
    assert.equal(typeof (await startEvacuation(context, { hostId: 1, guestIds })), "number");
  });

  it("never takes templates, safety copies and busy guests", async () => {
    const [template = 0, copy = 0, waiting = 0] = await insertGuests(services.pool, [
      { host: 1, node: "old", vmid: 201, template: true, status: "stopped" },
      { host: 1, node: "old", vmid: 202, safetyCopy: true, status: "stopped" },
      { host: 1, node: "old", vmid: 203, memoryMb: 64 },
    ]);
    for (const [id, why] of [
      [template, "IS_TEMPLATE"],
      [copy, "SAFETY_COPY"],
    ] as const) {
      const { reason } = await refusedAs("conflict", startEvacuation(context, { hostId: 1, guestIds: [id] }));
      assert.equal(reason, why);
    }
    await startBalanceRun(context, [`${waiting}.1.old.2.roomy`]);
    const refusal = await refusedAs("conflict", startEvacuation(context, { hostId: 1, guestIds: [waiting] }));
    assert.equal(refusal.reason, "GUEST_BUSY");
    const { rows } = await services.pool.query(`select 1 from host where maintenance`);
    assert.deepEqual(rows, [], "neither a balance run nor a refused start sets maintenance");
  });

  it("takes all guests that can be chosen when none are named, however many", async () => {
    await insertGuests(services.pool, [
      { host: 1, node: "old", vmid: 9_001, template: true, status: "stopped" },
      { host: 1, node: "old", vmid: 9_002, safetyCopy: true, status: "stopped" },
    ]);
    const refused = await refusedAs(
      "validation",
      startEvacuation(context, { hostId: 1, guestIds: [], allGuests: true }),
    );
    assert.match(JSON.stringify(refused.fields), /the host has no guest that can be chosen/);
    await services.pool.query(
      `insert into guest (host_id, node_id, type, vmid, name, status, cores, memory_mb, disk_bytes)
       select 1, id, 'lxc', 1000 + n, 'ct' || n, 'stopped', 1, 16, 1 from node, generate_series(0, 1000) n where host_id = 1`,
    );
    const id = await startEvacuation(context, { hostId: 1, guestIds: [], allGuests: true });
    assert.equal((await targets(id)).length, 1_001);
  });

  it("starts a thousand guests with few statements", async function () {
    this.timeout(300_000);
    const { rows } = await services.pool.query<{ id: number }>(
      `insert into guest (host_id, node_id, type, vmid, name, status, cores, memory_mb, disk_bytes)
       select 1, id, 'lxc', 1000 + n, 'ct' || n, 'stopped', 1, 16, 1 from node, generate_series(0, 999) n where host_id = 1
       returning id`,
    );
    let id = 0;
    const statements = await countStatements(async () => {
      id = await startEvacuation(context, { hostId: 1, guestIds: rows.map((row) => row.id) });
    });
    assert.ok(statements < 30, `${statements} statements`);
    assert.equal((await targets(id)).length, 1000);
  });
});
