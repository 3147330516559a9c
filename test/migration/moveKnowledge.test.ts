// What is known of many moves at once is what would be known of each alone.
import assert from "node:assert/strict";
import { knowledgeOfMany, type MoveKnowledge } from "../../src/migration/moveKnowledge.js";
import { loadSnapshot } from "../../src/placement/placementSnapshot.js";
import { runRequest } from "../../src/run/runRequest.js";
import { refusedAs } from "../support/refusal.js";
import { plant } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";

const [GUEST, GONE] = [1, 99];

const requestOf = (guestId: number) =>
  runRequest({ guestId, toHostId: 2, toNode: "pveb", ipZoneId: null, dropPortForwards: false });

describe("migration/moveKnowledge of many moves", () => {
  let services: TestServices;
  let knowledge: MoveKnowledge;
  before(async () => {
    services = await createTestServices();
    await plant(services.pool, {
      host: [{}, { name: "beta" }, { name: "gamma" }],
      node: [{}, { name: "pve2" }, { host_id: 2, name: "pveb" }, { host_id: 3, name: "pvec" }],
      storage: [
        { node_id: 1, name: "of-pve1" },
        { node_id: 2, name: "of-pve2" },
      ],
      guest: [{}, { host_id: 2, node_id: 3 }, { host_id: 2, node_id: 3, vmid: 101 }],
    });
    const loaded = await loadSnapshot(services.pool, services.clock);
    knowledge = await knowledgeOfMany(services, [requestOf(GUEST), requestOf(GONE)], loaded);
  });
  after(() => services.close());

  it("reports a guest that is gone by now, and plans the others", async () => {
    await refusedAs("notFound", knowledge.guest(GONE));
    assert.equal((await knowledge.guest(GUEST)).vmid, 100);
  });

  const lowest = async (hostId: number, except: readonly number[] = []) =>
    (await knowledge.freeVmids(hostId, except)).slice(0, 2);

  it("offers of each host the VMIDs that are free there, but for those that were tried", async () => {
    assert.deepEqual(await lowest(2), [102, 103]);
    assert.deepEqual(await lowest(3), [100, 101]);
    assert.deepEqual(await lowest(3, [100]), [101, 102]);
    assert.deepEqual(await lowest(2), [102, 103]);
  });

  it("knows which VMIDs are taken on the target", async () => {
    assert.equal(await knowledge.vmidIsTaken(2, 100), true);
    assert.equal(await knowledge.vmidIsTaken(3, 100), false);
  });

  it("knows the node on which a guest was found, when that is not the one on record", async () => {
    const guest = await knowledge.guest(GUEST);
    const { sourceNodeId, sourceStorages } = await knowledge.records({
      guest,
      node: "pve2",
      request: requestOf(GUEST),
    });
    assert.equal(sourceNodeId, 2);
    assert.deepEqual(
      sourceStorages.map(({ name }) => name),
      ["of-pve2"],
    );
  });
});
