// Nodes that a caller may not see are named nowhere: not in moves, runs, jobs, alerts and placements that reach them either.
import assert from "node:assert/strict";
import { CUSTOMER_ID } from "../graphql/support/world.js";
import { startExecution, type Caller, type Execution } from "./execute.js";

/** Of host 2, which tokens of host 1 and the customer may not see. */
const FAR = /beta|\bb[12]\b|hostId":2/i;

/** A guest of host 1 that the customer owns. */
const OWNED = 4;

/** Evacuation 1 went wherever placement liked, 2 to a host that was named, 3 was begun by a token of host 1 alone. */
const WORLD = `
  insert into job (kind, status, host_id, node, vmid, guest_id, error, upids, finished_at)
  values ('migration', 'failed', 1, 'a1', 103, ${OWNED}, 'node b1 refused the guest', '{UPID:b1:1}', now());
  insert into run (kind, host_id, target_host_id, target_node, host_scope, finished_at)
  values ('evacuation', 1, null, null, null, now()), ('evacuation', 1, 2, 'b1', null, now()), ('evacuation', 1, null, null, '{1}', now());
  insert into migration (job_id, guest_id, guest_name, guest_type, vmid, target_vmid, source_host_id, source_node, target_host_id,
    target_node, mode, status, error, log, evacuation_id, finished_at)
  values ((select max(id) from job), ${OWNED}, 'web-3', 'qemu', 103, 103, 1, 'a1', 2, 'b1', 'offline', 'failed', 'node b1 refused the guest', '{to b1 now}', 1, now());
  insert into run_item (run_id, position, guest_id, guest_name, vmid, from_host_id, from_node, to_host_id, to_node, status, reason,
    migration_id, finished_at)
  values (1, 1, ${OWNED}, 'web-3', 103, 1, 'a1', 2, 'b1', 'failed', 'node b1 refused the guest', 1, now()),
         (1, 2, 5, 'web-4', 104, 1, 'a1', null, null, 'skipped', 'no node has room: b2 of host 2: the node is offline', null, now()),
         (1, 3, 6, 'web-5', 105, 1, 'a1', null, null, 'done', null, null, now()),
         (2, 1, 7, 'web-6', 106, 1, 'a1', 2, 'b1', 'skipped', 'no node has room: b1 : full', null, now()),
         (3, 1, 8, 'web-7', 107, 1, 'a1', null, null, 'skipped', 'no node has room: no node may be used', null, now());
  insert into request_log (at, token_id, token_name, source_ip, method, path, status, duration_ms)
  values (now(), 2, 'plain', '192.0.2.1', 'GET', '/api/v1/hosts/2/nodes/b1 ', 200, 1.5)`;

const RUN =
  "targetHostId targetNode total items { vmid status reason toHostId toNode migration { targetNode error log } }";

describe("what is out of sight", () => {
  let execution: Execution;
  before(async () => {
    execution = await startExecution();
    await execution.services.pool.query(WORLD);
  });
  after(() => execution.services.close());

  const questions: readonly (readonly [what: string, caller: Caller, query: string])[] = [
    ["evacuations", "scopedManager", `{ evacuations { items { ${RUN} } } }`],
    ["an evacuation", "scopedManager", `{ evacuation(id: 2) { ${RUN} } }`],
    ["migrations", "scopedManager", "{ migrations { items { targetNode error log } meta { total } } }"],
    ["alerts", "scopedManager", "{ alerts(perPage: 200) { items { code message node hostId } } }"],
    ["the balance report", "scopedManager", "{ balanceReport { hotNodes { node reason } predicted { hostId node } } }"],
    ["candidates", "scopedManager", "{ evacuationCandidates(hostId: 1) { toHostId toNode problems { message } } }"],
    ["hosts", "scopedManager", "{ hosts { items { name nodes { name } } } }"],
    ["the log of requests", "scopedManager", "{ requestLog { items { path } } }"],
    ["jobs", "scoped", "{ jobs { items { id error upids node hostId } } }"],
    ["the job of a guest's move", "customer", "{ jobs { items { id error upids node hostId } } }"],
    ["a placement", "scoped", placement("")],
  ];
  for (const [what, caller, query] of questions) {
    it(`is not named by ${what} (${caller})`, async () => {
      const everything = JSON.stringify(await execution.data("manager", query));
      const seen = JSON.stringify(await execution.data(caller, query));
      assert.doesNotMatch(seen, FAR);
      assert.match(everything, FAR, "there was nothing to keep back");
    });
  }

  it("leaves everything else of an evacuation to be seen", async () => {
    assert.deepEqual(await execution.data("scopedManager", `{ evacuation(id: 1) { ${RUN} } }`), {
      evacuation: {
        targetHostId: null,
        targetNode: null,
        total: 3,
        items: [
          item({ vmid: 103, status: "FAILED", reason: "the reason names hosts outside the scope of this token" }),
          item({ vmid: 104, status: "SKIPPED", reason: "the reason names hosts outside the scope of this token" }),
          item({ vmid: 105, status: "DONE", reason: null }),
        ],
      },
    });
  });

  it("is nothing in a run that reaches no further than its viewer", async () => {
    const own = item({ vmid: 107, status: "SKIPPED", reason: "no node has room: no node may be used" });
    assert.deepEqual(
      await execution.data(
        "scopedManager",
        "{ evacuation(id: 3) { items { vmid status reason toHostId toNode migration { error } } } }",
      ),
      {
        evacuation: { items: [own] },
      },
    );
  });

  it("is a move of which one end is out of scope", async () => {
    for (const ask of ["{ migration(id: 1) { id } }", "mutation { retryMigration(id: 1) { id } }"]) {
      assert.equal((await execution.refusal("scopedManager", ask)).kind, "notFound");
    }
  });

  it("leaves the job of such a move to be seen, without what names the other end", async () => {
    const data = await execution.data(
      "customer",
      "{ jobs(filter: { vmid: 103 }) { items { status vmid error upids } } }",
    );
    const error = "the move failed; why is told to those who may see both of its hosts";
    assert.deepEqual(data, { jobs: { items: [{ status: "FAILED", vmid: 103, error, upids: [] }] } });
  });

  it("is what the rollback of a move does at the other end", async () => {
    const { pool } = execution.services;
    const waiting = { epoch: 0, reason: "Host beta is unreachable" };
    const facts = { failure: "node b1 refused the guest", undoing: "removing what is left on node b1", waiting };
    const { rows } = await pool.query<{ id: number }>(
      `insert into job (kind, status, host_id, node, vmid, guest_id, facts, lease_until)
       values ('migration', 'running', 1, 'a1', 103, ${OWNED}, $1, now() + interval '1 hour') returning id`,
      [facts],
    );
    await pool.query(
      `insert into migration (job_id, guest_id, guest_name, guest_type, vmid, target_vmid, source_host_id, source_node,
         target_host_id, target_node, mode, status)
       values ($1, ${OWNED}, 'web-3', 'qemu', 103, 103, 1, 'a1', 2, 'b1', 'offline', 'running')`,
      [rows[0]?.id],
    );
    const query = `{ job(id: ${rows[0]?.id}) { rollback { reason doing } waitingFor { reason } } }`;
    const reason = "the move failed; why is told to those who may see both of its hosts";
    const less = { rollback: { reason, doing: null }, waitingFor: null };
    assert.deepEqual(await execution.data("scoped", query), { job: less });
    const rollback = { reason: facts.failure, doing: facts.undoing };
    const everything = { rollback, waitingFor: { reason: waiting.reason } };
    assert.deepEqual(await execution.data("manager", query), { job: everything });
  });

  it("is a host of which a reseller has no node; other nodes of his hosts are dropped, with the reason", async () => {
    const dropped =
      "{ placementSuggest(input: { type: QEMU, memoryMb: 512, cores: 1, diskGb: 1 }) { dropped { hostId node code } ranked { node } } }";
    const data = JSON.stringify(await execution.data("reseller", dropped));
    assert.doesNotMatch(data, /"a1"|hostId":1/);
    assert.match(data, /"node":"b2"/);
    await execution.services.pool.query("update guest set owner_id = null where owner_id = $1", [CUSTOMER_ID]);
    assert.equal((await execution.refusal("reseller", placement("hostId: 1"))).kind, "notFound");
    const creation = 'mutation { createGuest(hostId: 1, input: { type: QEMU, node: "auto", name: "x" }) { jobId } }';
    assert.equal((await execution.refusal("reseller", creation)).kind, "notFound");
  });
});

const item = (told: { readonly vmid: number; readonly status: string; readonly reason: string | null }) => ({
  ...told,
  toHostId: null,
  toNode: null,
  migration: null,
});

function placement(more: string): string {
  return `{ placementSuggest(input: { type: QEMU, memoryMb: 512, cores: 1, diskGb: 1 ${more} }) {
    ranked { hostId node explanation } dropped { hostId node reason } } }`;
}
