// Creations on a cluster whose nodes have processors of different architectures: a template decides which of them can be chosen.
import assert from "node:assert/strict";
import { runJob } from "../../jobs/engine/executor.js";
import { containerRequest, jobRow, machineRequest, openStage, queueGuest, sync, type Stage } from "./creation.js";
import { executorFor } from "./killing.js";
import { fromNow, plant } from "../support/rows.js";

describe("creating a guest among different architectures", () => {
  let stage: Stage;
  let vmid = 200;
  before(async () => {
    stage = await openStage(undefined, ["pvea", "pveb"]);
    const healthy = { healthy: true, last_seen_at: fromNow(86_400) };
    await plant(stage.services.pool, { agent: [1, 2].map((node) => ({ node_id: node, ...healthy })) });
  });
  after(() => stage.close());

  /** The nodes' architectures, as the inventory knows them. */
  async function build(pvea: "amd64" | "arm64", pveb: "amd64" | "arm64"): Promise<void> {
    const { nodes } = stage.host.platform.state;
    for (const [name, architecture] of Object.entries({ pvea, pveb })) {
      Object.assign(nodes.get(name) ?? assert.fail(`there is ${name}`), { architecture });
    }
    await sync(stage);
  }

  it("places a container where its template's file can run", async () => {
    await build("arm64", "amd64");
    const { jobId, placement } = await queueGuest(stage, containerRequest({ vmid: ++vmid, node: "auto" }));
    assert.equal(placement.node, "pveb");
    await runJob(executorFor(stage.services, "test"), jobId);
    assert.equal((await jobRow(stage, jobId))["status"], "done");
  });

  it("refuses a container that no node can run, also on a node that is named, with the reason", async () => {
    await build("arm64", "arm64");
    for (const node of ["auto", "pvea"]) {
      await assert.rejects(queueGuest(stage, containerRequest({ vmid: ++vmid, node })), {
        reason: "NO_NODE_HAS_ROOM",
        message: /the guest is made for amd64, the node's processors are arm64/,
      });
    }
  });

  it("takes the architecture of a machine from its template's node", async () => {
    await build("arm64", "amd64");
    const { placement } = await queueGuest(stage, machineRequest(stage, { vmid: ++vmid, node: "auto" }));
    assert.equal(placement.node, "pvea");
    await stage.services.pool.query("update storage set shared = true");
    await assert.rejects(queueGuest(stage, machineRequest(stage, { vmid: ++vmid, node: "pveb" })), {
      message: /the guest is made for arm64, the node's processors are amd64/,
    });
  });

  it("lets every node be chosen while nothing of it is known", async () => {
    await stage.services.pool.query("update node set architecture = null where name = 'pvea'");
    const { placement } = await queueGuest(stage, containerRequest({ vmid: ++vmid, node: "pvea" }));
    assert.equal(placement.node, "pvea");
  });
});
