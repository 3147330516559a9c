// Checks which tunnel versions a node is taken to speak: by its packages, and where these do not say, by its release.
import assert from "node:assert/strict";
import { describeVersions, isOlderTunnel, tunnelsOf } from "../../../src/core/inventory/tunnel.js";

const UNKNOWN = { version: null, qemuServer: null, pveContainer: null };

describe("core/inventory/tunnel", () => {
  const ofMachines: [qemuServer: string | null, version: string | null, tunnel: number | null][] = [
    ["7.2-9", "7.2-11", null],
    ["7.2-10", "7.3-3", 2],
    ["7.4-4", "7.4-16", 2],
    ["8.4.2", "8.4.14", 2],
    ["9.2.6", "9.2.11", 2],
    ["9.2.7", "9.3.0", 2],
    ["9.2.8", "9.2.21", 2],
    ["9.2.8", "9.3.0", 3],
    ["9.3.0", "9.2.20", 3],
    ["9.3~rc1", "9.2.20", 3],
    ["10.0.1", "10.0.2", 3],
    [null, "7.2-11", null],
    [null, "7.3-3", 2],
    [null, "9.2.20", 2],
    [null, "9.3.0", 3],
    [null, "9.3~beta1", 3],
    [null, "9.10.1", 3],
    [null, "10.1", 3],
    ["not installed", "9.2.20", 2],
    ["", "unstable", null],
    [null, null, null],
  ];
  for (const [qemuServer, version, tunnel] of ofMachines) {
    it(`qemu-server ${qemuServer} on Proxmox VE ${version}: ${tunnel}`, () => {
      assert.equal(tunnelsOf({ ...UNKNOWN, qemuServer, version }).qemu, tunnel);
    });
  }

  const ofContainers: [pveContainer: string | null, version: string | null, tunnel: number | null][] = [
    ["4.3-3", "7.2-11", null],
    ["4.3-4", "7.3-3", 2],
    ["6.1.14", "9.3.0", 2],
    ["6.1.15", "9.2.21", 2],
    ["6.1.15", "9.3.0", 3],
    ["6.2.0", "9.2.20", 3],
    [null, "9.3.0", 3],
  ];
  for (const [pveContainer, version, tunnel] of ofContainers) {
    it(`pve-container ${pveContainer} on Proxmox VE ${version}: ${tunnel}`, () => {
      assert.equal(tunnelsOf({ ...UNKNOWN, pveContainer, version }).lxc, tunnel);
    });
  }

  it("asks each type's own package", () => {
    const node = { version: "9.3.0", qemuServer: "9.2.7", pveContainer: "6.2.0" };
    assert.deepEqual(tunnelsOf(node), { qemu: 2, lxc: 3 });
    assert.equal(describeVersions("qemu", node), "qemu-server 9.2.7 (Proxmox VE 9.3.0)");
    assert.equal(describeVersions("lxc", node), "pve-container 6.2.0 (Proxmox VE 9.3.0)");
    assert.equal(describeVersions("lxc", { ...node, pveContainer: null }), "Proxmox VE 9.3.0");
    assert.equal(describeVersions("qemu", UNKNOWN), "Proxmox VE of an unknown version");
  });

  it("takes only a known older tunnel for an older one", () => {
    assert.equal(isOlderTunnel(2, 3), true);
    assert.equal(isOlderTunnel(3, 3), false);
    assert.equal(isOlderTunnel(3, 2), false);
    assert.equal(isOlderTunnel(null, 3), false);
    assert.equal(isOlderTunnel(2, null), false);
  });
});
