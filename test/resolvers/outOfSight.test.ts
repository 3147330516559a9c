// Nodes that a caller may not see are named nowhere: not in moves, runs, jobs, alerts and placements that reach them either.
import assert from "node:assert/strict";
import { CUSTOMER_ID } from "../graphql/support/world.js";
import { fromNow, plant, planted, type Rows } from "../support/rows.js";
import { startExecution, type Caller, type Execution } from "./execute.js";

/** Of host 2, which tokens of host 1 and the customer may not see. */
const FAR = /beta|\bb[12]\b|hostId":2/i;

/** A guest of host 1 that the customer owns. */
const OWNED = 4;

const REFUSED = "node b1 refused the guest";
const ended = { finished_at: fromNow(0) };
const failed = { status: "failed", error: REFUSED, ...ended } as const;
const MOVE = { guest_id: OWNED, vmid: 103, target_node: "b1" };

/** Evacuation 1 went wherever placement liked, 2 to a host that was named, 3 was begun by a token of host 1 alone. */
const WORLD: Rows = {
  job: [{ ...failed, kind: "migration", node: "a1", vmid: 103, guest_id: OWNED, upids: ["UPID:b1:1"] }],
  run: [ended, { ...ended, target_host_id: 2, target_node: "b1" }, { ...ended, host_scope: [1] }],
  migration: [{ ...MOVE, ...failed, job_id: 3, log: ["to b1 now"], evacuation_id: 1 }],
  run_item: [
    { vmid: 103, guest_id: OWNED, to_host_id: 2, to_node: "b1", status: "failed", reason: REFUSED, migration_id: 1 },
    { position: 2, vmid: 104, status: "skipped", reason: "no node has room: b2 of host 2: the node is offline" },
    { position: 3, vmid: 105, status: "done" },
    { run_id: 2, vmid: 106, to_host_id: 2, to_node: "b1", status: "skipped", reason: "no node has room: b1 : full" },
    { run_id: 3, vmid: 107, status: "skipped", reason: "no node has room: no node may be used" },
  ],
  request_log: [{ token_id: 2, path: "/api/v1/hosts/2/nodes/b1 " }],
};

const RUN =
  "targetHostId targetNode total items { vmid status reason toHostId toNode migration { targetNode error log } }";

describe("what is out of sight", () => {
  let execution: Execution;
  before(async () => {
    execution = await startExecution();
    await plant(execution.services.pool, WORLD);
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
    const error = "the move failed; the reason is shown to those who may see both of its hosts";
    assert.deepEqual(data, { jobs: { items: [{ status: "FAILED", vmid: 103, error, upids: [] }] } });
  });

  it("is what the rollback of a move does at the other end", async () => {
    const { pool } = execution.services;
    const waiting = { epoch: 0, reason: "Host beta is unreachable" };
    const facts = { failure: REFUSED, undoing: "removing what is left on node b1", waiting };
    const { id } = await planted(pool, "job", {
      kind: "migration",
      status: "running",
      guest_id: OWNED,
      facts,
      lease_until: fromNow(3600),
    });
    const undone = { undo_status: "failed", undo_error: "volume 7 on node b1" } as const;
    const at = new Date(0);
    await plant(pool, {
      migration: [{ ...MOVE, job_id: id, status: "running" }],
      job_step: [{ job_id: id, status: "failed", ...undone, undo_started_at: at, undo_finished_at: at }],
    });
    const query = `{ job(id: ${id}) { rollback { reason doing } waitingFor { reason } undoneSteps { error } } }`;
    const reason = "the move failed; the reason is shown to those who may see both of its hosts";
    const less = { rollback: { reason, doing: null }, waitingFor: null, undoneSteps: [] };
    assert.deepEqual(await execution.data("scoped", query), { job: less });
    const rollback = { reason: facts.failure, doing: facts.undoing };
    const everything = {
      rollback,
      waitingFor: { reason: waiting.reason },
      undoneSteps: [{ error: undone.undo_error }],
    };
    assert.deepEqual(await execution.data("manager", query), { job: everything });
  });

  it("is what an earlier attempt of such a move says, which the move's record no longer names", async () => {
    const { id } = await planted(execution.services.pool, "job", {
      kind: "migration",
      status: "failed",
      guest_id: OWNED,
      error: REFUSED,
      input: JSON.stringify({ migrationId: 1 }),
    });
    const query = `{ job(id: ${id}) { error } }`;
    const error = "the move failed; the reason is shown to those who may see both of its hosts";
    assert.deepEqual(await execution.data("scoped", query), { job: { error } });
    assert.deepEqual(await execution.data("manager", query), { job: { error: REFUSED } });
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
