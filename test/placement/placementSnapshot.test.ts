// What guests that wait for their turn in a run take of the nodes that they are to go to.
import assert from "node:assert/strict";
import { GIB } from "../../src/core/units.js";
import { loadSnapshot } from "../../src/placement/placementSnapshot.js";
import { plant } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";
import { insertGuests, insertNodes } from "./fleet.js";

/** Where the guests are to go: nodes of the same names, and other ones, are before and after it. */
const TARGET = { to_host_id: 2, to_node: "b", to_storage: "local" };

describe("placement/placementSnapshot: guests that wait in a run", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
    await insertNodes(
      services.pool,
      [1, 2, 3].flatMap((host) => ["a", "b", "c"].map((name) => ({ host, name }))),
    );
    const guest = { host: 1, node: "a" };
    await insertGuests(services.pool, [
      { ...guest, vmid: 100, memoryMb: 1, diskGb: 1 },
      { ...guest, vmid: 101, memoryMb: 20, diskGb: 2 },
      { ...guest, vmid: 102, memoryMb: 300, diskGb: 4 },
      { ...guest, vmid: 103, memoryMb: 4_000, diskGb: 8, status: "stopped" },
      { ...guest, vmid: 104, memoryMb: 5_000, diskGb: 16 },
    ]);
    await plant(services.pool, {
      job: [1, 2, 3].map(() => ({ kind: "balance_run", host_id: null })),
      run: [1, 2, 3].map((job_id) => ({ kind: "balance_run", job_id })),
      run_item: [
        { ...TARGET, run_id: 2, guest_id: 2, vmid: 101 },
        { ...TARGET, run_id: 3, position: 1, guest_id: 3, vmid: 102 },
        { ...TARGET, run_id: 3, position: 2, guest_id: 4, vmid: 103 },
        { ...TARGET, run_id: 3, position: 3, guest_id: 5, vmid: 104, status: "done" },
      ],
    });
  });
  after(() => services.close());

  /** Of each node on which anything is: MiB of RAM and GiB on its storage. */
  async function reserved(query: Parameters<typeof loadSnapshot>[2] = {}): Promise<Record<string, readonly number[]>> {
    const { snapshot } = await loadSnapshot(services.pool, services.clock, query);
    const taken = snapshot.nodes.map(({ host, name, memoryReservedMb, storages }) => {
      const bytes = storages.reduce((sum, { reservedBytes }) => sum + reservedBytes, 0);
      return [`${host.id}/${name}`, [memoryReservedMb, bytes / GIB]] as const;
    });
    return Object.fromEntries(taken.filter(([, [memoryMb, gib]]) => memoryMb > 0 || gib > 0));
  }

  it("take their room on the node that they go to, and on no other; a stopped one takes no RAM", async () => {
    assert.deepEqual(await reserved(), { "2/b": [320, 14] });
  });

  it("take none from their own run, and leave that of other runs taken", async () => {
    assert.deepEqual(await reserved({ exceptJobId: 3 }), { "2/b": [20, 2] });
    assert.deepEqual(await reserved({ exceptJobId: 2 }), { "2/b": [300, 12] });
    assert.deepEqual(await reserved({ exceptJobId: 1 }), { "2/b": [320, 14] });
  });

  it("take their room whichever part of the fleet is looked at", async () => {
    assert.deepEqual(await reserved({ scope: [2], node: "b" }), { "2/b": [320, 14] });
    assert.deepEqual(await reserved({ scope: [1, 3] }), {});
  });
});
