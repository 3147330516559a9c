// What an evacuation may be asked for: from where and to where, by whom, with every fault under its own field.
import assert from "node:assert/strict";
import type { Viewer } from "../../src/access/viewer.js";
import { acceptRoute, type AskedRoute } from "../../src/run/evacuationRequest.js";
import { contextOf, managingToken, tokenViewer } from "../support/context.js";
import { refusedAs, refusedFields } from "../support/refusal.js";
import { fromNow, plant } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";

const [ALPHA, BETA, GAMMA, UNKNOWN] = [1, 2, 3, 99];
const [ZONE_OF_BETA, ZONE_OF_ALPHA] = [1, 2];

describe("run/evacuationRequest", () => {
  let services: TestServices;
  before(async () => {
    services = await createTestServices();
    await plant(services.pool, {
      host: [{}, { name: "beta" }, { name: "gamma", maintenance: true, maintenance_since: fromNow(0) }],
      node: [{}, { host_id: BETA, name: "pve2" }, { host_id: GAMMA, name: "pve3" }],
      ip_zone: [{ host_id: BETA }, { host_id: ALPHA }],
    });
  });
  after(() => services.close());

  const accept = (route: Partial<AskedRoute>, viewer: Viewer = managingToken()) =>
    acceptRoute(contextOf(services, viewer), { hostId: ALPHA, ...route });

  it("takes a whole route as it is asked for, and leaves to placement what is not said", async () => {
    const whole = {
      hostId: ALPHA,
      node: "pve1",
      targetHostId: BETA,
      targetNode: "pve2",
      ipZoneId: ZONE_OF_BETA,
      dropPortForwards: true,
    };
    assert.deepEqual(await accept(whole), whole);
    const open = { node: null, targetHostId: null, targetNode: null, ipZoneId: null };
    assert.deepEqual(await accept({}), { hostId: ALPHA, ...open, dropPortForwards: false });
    assert.deepEqual(await accept({ targetHostId: BETA }), {
      hostId: ALPHA,
      ...open,
      targetHostId: BETA,
      dropPortForwards: false,
    });
  });

  const faults: readonly (readonly [what: string, route: Partial<AskedRoute>, fields: readonly string[]])[] = [
    ["a node that only another host has", { node: "pve2" }, ["node"]],
    ["the host itself as its target", { targetHostId: ALPHA }, ["targetHostId"]],
    ["an unknown target", { targetHostId: UNKNOWN }, ["targetHostId"]],
    ["a target node without its host", { targetNode: "pve2" }, ["targetHostId"]],
    ["an IP zone without its host", { ipZoneId: ZONE_OF_BETA }, ["targetHostId"]],
    ["a target node of another host", { targetHostId: BETA, targetNode: "pve1" }, ["targetNode"]],
    ["an IP zone of another host", { targetHostId: BETA, ipZoneId: ZONE_OF_ALPHA }, ["ipZoneId"]],
    [
      "everything at once",
      { node: "none", targetHostId: BETA, targetNode: "none", ipZoneId: 99 },
      ["node", "targetNode", "ipZoneId"],
    ],
  ];
  for (const [what, route, fields] of faults) {
    it(`refuses ${what}`, () => refusedFields(fields, accept(route)));
  }

  it("does not find an unknown host", async () => {
    await refusedAs("notFound", accept({ hostId: UNKNOWN }));
  });

  it("refuses a target in maintenance, and empties a host that is in it", async () => {
    const refusal = await refusedAs("conflict", accept({ targetHostId: GAMMA }));
    assert.equal(refusal.reason, "HOST_IN_MAINTENANCE");
    assert.equal((await accept({ hostId: GAMMA, targetHostId: BETA })).hostId, GAMMA);
  });

  it("is for those who manage hosts", async () => {
    assert.equal((await refusedAs("forbidden", accept({}, tokenViewer()))).reason, "PERMISSION_MISSING");
  });

  it("ends at the scope of a token, for the host and for its target, whether they exist or not", async () => {
    for (const route of [{ targetHostId: BETA }, { targetHostId: UNKNOWN }, { hostId: BETA }, { hostId: UNKNOWN }]) {
      const refusal = await refusedAs("forbidden", accept(route, managingToken([ALPHA])));
      assert.equal(refusal.reason, "HOST_OUT_OF_SCOPE");
    }
    assert.equal((await accept({ targetHostId: BETA }, managingToken([ALPHA, BETA]))).targetHostId, BETA);
  });
});
