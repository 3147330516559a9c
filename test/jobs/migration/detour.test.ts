// A move to a node of a cluster at whose address another member answers, as behind a shared address and certificate.
import assert from "node:assert/strict";
import { guestOn, migrationRow, openMoveStage, placeAndSync, queueMove, run, type MoveStage } from "./stage.js";

describe("a move that leads to another node of the target's cluster", function () {
  this.timeout(300_000);
  let stage: MoveStage;
  before(async () => {
    stage = await openMoveStage({ targetNodes: ["pveb", "pvec"] });
    const { nodes } = stage.target.host.platform.state;
    const [shared, planned] = [nodes.get("pveb"), nodes.get("pvec")];
    if (shared === undefined || planned === undefined) throw new Error("the cluster has no such nodes");
    const { address, certificate, fingerprint } = shared;
    Object.assign(planned, { address, certificate, fingerprint });
  });
  after(() => stage.close());

  for (const type of ["qemu", "lxc"] as const) {
    it(`follows a ${type} guest to where it really is, and never leaves it running twice`, async () => {
      const vmid = type === "qemu" ? 300 : 301;
      const guestId = await placeAndSync(stage, { type, vmid, status: "running" });
      const { migrationId, jobId } = await queueMove(stage, guestId, { targetNode: "pvec" });
      await run(stage, jobId);
      const row = await migrationRow(stage, migrationId);
      assert.equal(row["error"], null);
      assert.equal(row["status"], "done_with_warnings");
      assert.equal(row["target_node"], "pveb");
      assert.equal(guestOn(stage.target, vmid)?.node, "pveb");
      assert.equal(guestOn(stage.source, vmid)?.runtime, null);
      assert.equal(guestOn(stage.source, vmid)?.config["tags"], "drover-migrated");
      const { rows } = await stage.services.pool.query<{ node: string }>(
        `select n.name as node from guest g join node n on n.id = g.node_id where g.id = $1`,
        [guestId],
      );
      assert.deepEqual(rows, [{ node: "pveb" }]);
      const { rows: steps } = await stage.services.pool.query<{ error: string }>(
        `select error from job_step where job_id = $1 and name = 'transfer'`,
        [jobId],
      );
      assert.match(String(steps[0]?.error), /is on pveb, not on pvec/);
    });
  }
});
