// Checks at which address, and by which certificate, a source is told to reach the target's node.
import assert from "node:assert/strict";
import { endpointOf } from "../../src/migration/endpoint.js";

const said = { host: "10.0.0.7", fingerprint: "11:11" };
const host = { hostname: "pve.example", port: 8443, isCluster: false, tlsFingerprint: "AA:AA" };

describe("actions/migration/endpoint", () => {
  it("is where the service reaches a standalone node, with the pinned certificate", () => {
    assert.deepEqual(endpointOf(host, said), { host: "pve.example", port: 8443, fingerprint: "AA:AA" });
  });

  it("takes the node's word for its certificate where none is pinned", () => {
    assert.equal(endpointOf({ ...host, tlsFingerprint: null }, said).fingerprint, "11:11");
  });

  it("is the member's own address and certificate in a cluster", () => {
    assert.deepEqual(endpointOf({ ...host, isCluster: true }, said), { ...said, port: 8443 });
  });
});
