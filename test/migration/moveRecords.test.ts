// What the database knows of a move's target: of that host and that node, and of nobody else's.
import assert from "node:assert/strict";
import { findMovingGuest, loadMoveRecords } from "../../src/migration/moveRecords.js";
import * as tokenRefusals from "../../src/store/tokenRefusal.js";
import { refusedAs, refusedFields } from "../support/refusal.js";
import { plant } from "../support/rows.js";
import { createTestServices, type TestServices } from "../support/services.js";

/** The target is the second host's second node: others have ids below and above. */
const [FORMER, TARGET, LATTER] = [1, 2, 3];
const REFUSED_AT = new Date("2026-01-02T03:04:05Z");

const forward = (guest_id: number, node_id: number, public_port: number) => ({ guest_id, node_id, public_port });

describe("migration/moveRecords", () => {
  let services: TestServices;
  beforeEach(async () => {
    services = await createTestServices();
    const nodes = [2, 3, 4, 5];
    await plant(services.pool, {
      host: [{}, { name: "beta" }, { name: "gamma" }],
      node: [
        { host_id: FORMER, name: "pve1" },
        { host_id: TARGET, name: "a" },
        { host_id: TARGET, name: "b" },
        { host_id: TARGET, name: "c" },
        { host_id: LATTER, name: "b" },
      ],
      network: nodes.map((node_id) => ({ node_id, name: `vmbr${node_id}`, active: true })),
      storage: nodes.map((node_id) => ({ node_id, name: `storage${node_id}` })),
      ip_zone: [LATTER, TARGET, FORMER].map((host_id) => ({ host_id, bridge: `zone${host_id}` })),
      guest: [{}, { vmid: 101 }],
    });
  });
  afterEach(() => services.close());

  async function load(
    request: { readonly targetNode?: string; readonly ipZoneId?: number; readonly targetHostId?: number } = {},
  ) {
    const guest = await findMovingGuest(services.pool, 1);
    const whole = { targetHostId: TARGET, targetNode: "b", ipZoneId: null, bandwidthMib: null, ...request };
    const question = { guest, node: guest.node, request: whole };
    return (await loadMoveRecords(services.pool, [question], null))(question);
  }

  it("are the target's own: its node, networks, storages and IP zones", async () => {
    const { target, targetBridges, targetStorages, targetZones } = await load();
    assert.equal(target.nodeId, 3);
    assert.equal(target.hostName, "beta");
    assert.deepEqual(targetBridges, ["vmbr3"]);
    assert.deepEqual(targetStorages, [{ name: "storage3", type: "dir" }]);
    assert.deepEqual(targetZones, [{ id: 2, bridge: "zone2" }]);
  });

  it("contain the refusal of a token by the target, and not by other hosts", async () => {
    const refuse = (hostId: number, words: string) =>
      tokenRefusals.record(services.pool, { hostId, tokenId: 1, words, at: REFUSED_AT });
    await refuse(FORMER, "no, says alpha");
    await refuse(LATTER, "no, says gamma");
    assert.equal((await load()).target.tokenRefusal, null);
    await refuse(TARGET, "no, says beta");
    assert.deepEqual((await load()).target.tokenRefusal, { words: "no, says beta", at: REFUSED_AT.getTime() });
  });

  it("contain what the agent of the target's node has reported, and not that of other nodes", async () => {
    await plant(services.pool, { agent: [2, 4, 5].map((node_id) => ({ node_id, nat_configured: true })) });
    assert.equal((await load()).target.natConfigured, false);
    await plant(services.pool, { agent: [{ node_id: 3, nat_configured: true }] });
    assert.equal((await load()).target.natConfigured, true);
  });

  it("count the public ports that others have on the target's node as taken, and not the guest's own", async () => {
    await plant(services.pool, {
      port_forward: [forward(1, 3, 8001), forward(2, 3, 8002), forward(2, 2, 8003), forward(2, 4, 8004)],
    });
    const { takenPorts, forwards } = await load();
    assert.deepEqual(
      takenPorts.map(({ port }) => port),
      [8002],
    );
    assert.deepEqual(forwards, [{ id: 1, protocol: "tcp", publicPort: 8001 }]);
  });

  it("are refused for a zone or a node of another host, and for an unknown host", async () => {
    await refusedFields(["ipZoneId"], load({ ipZoneId: 1 }));
    await refusedFields(["targetNode"], load({ targetNode: "pve1" }));
    await refusedAs("notFound", load({ targetHostId: 99 }));
  });
});
