// Which guests an evacuation is planned on: those of its host, of one of its nodes, or one alone.
import assert from "node:assert/strict";
import { loadEvacuationFacts } from "../../src/run/evacuationFacts.js";
import { insertGuests, insertNodes } from "../placement/fleet.js";
import { createTestServices, type TestServices } from "../support/services.js";

/** The host that is emptied: others have ids and VMIDs below and above. */
const HOST = 2;

describe("run/evacuationFacts", () => {
  let services: TestServices;
  let ids: number[];
  before(async () => {
    services = await createTestServices();
    const names = ["a", "b", "c"];
    await insertNodes(
      services.pool,
      [1, HOST, 3].flatMap((host) => names.map((name) => ({ host, name }))),
    );
    await insertGuests(services.pool, [{ host: 1, node: "b", vmid: 100 }]);
    ids = await insertGuests(services.pool, [
      { host: HOST, node: "c", vmid: 203 },
      { host: HOST, node: "b", vmid: 202 },
      { host: HOST, node: "a", vmid: 201, status: "stopped", template: true },
    ]);
    await insertGuests(services.pool, [
      { host: HOST, node: "b", vmid: 204 },
      { host: 3, node: "b", vmid: 300 },
    ]);
    await services.pool.query(`update guest set gone_at = now() where vmid = 204`);
  });
  after(() => services.close());

  const load = (selection: { readonly node?: string; readonly guestId?: number; readonly scope?: number[] } = {}) =>
    loadEvacuationFacts(
      { database: services.pool, clock: services.clock },
      { scope: null, hostId: HOST, ...selection },
    );
  const vmidsOf = async (selection: Parameters<typeof load>[0]): Promise<number[]> =>
    (await load(selection)).guests.map(({ vmid }) => vmid);

  it("are those that the host has now, by VMID, whatever kind they are", async () => {
    assert.deepEqual(await vmidsOf({}), [201, 202, 203]);
  });

  it("are those of one node where it is named", async () => {
    assert.deepEqual(await vmidsOf({ node: "b" }), [202]);
    assert.deepEqual(await vmidsOf({ node: "none" }), []);
  });

  it("are one alone where it is asked about", async () => {
    assert.deepEqual(await vmidsOf({ guestId: ids[1] ?? 0 }), [202]);
  });

  it("come with the nodes of the hosts in scope", async () => {
    const { snapshot } = await load({ scope: [HOST, 3] });
    assert.deepEqual(new Set(snapshot.nodes.map(({ host }) => host.id)), new Set([HOST, 3]));
  });
});
