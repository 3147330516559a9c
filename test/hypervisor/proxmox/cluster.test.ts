// What a host tells about itself, in the bodies that versions 7.3 to 9.2 send.
import assert from "node:assert/strict";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { Cleanup, scripted } from "../support/driver.js";
import { refusal } from "../support/rejection.js";
import type { Script } from "../support/scriptedHost.js";

describe("hypervisor/proxmox/cluster", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  const versions: [string, number, number][] = [
    ["7.3-3", 7, 3],
    ["7.4-16", 7, 4],
    ["8.4.5", 8, 4],
    ["9.2.11", 9, 2],
    ["9.0~beta1", 9, 0],
  ];
  for (const [version, major, minor] of versions) {
    it(`reads version ${version}`, async () => {
      const { host, driver } = await scripted(cleanup, () => ({ data: { version, release: "x", repoid: "14a22df3" } }));
      assert.deepEqual(await driver.version(), { version, major, minor });
      assert.deepEqual(await driver.nodeVersion("pve1"), { version, major, minor });
      assert.deepEqual(
        host.arrivals.map(({ path }) => path),
        ["/api2/json/version", "/api2/json/nodes/pve1/version"],
      );
    });
  }

  const otherVersions: [string, unknown, string, number, number][] = [
    ["the name of the package before it", { version: "pve-manager/8.2.2" }, "8.2.2", 8, 2],
    ["a build of a prerelease", { version: "9.0.3~1" }, "9.0.3~1", 9, 0],
    ["a number", { version: 8.4 }, "8.4", 8, 4],
    ["the release alone", { release: "7.4", version: null }, "7.4", 7, 4],
  ];
  for (const [name, data, version, major, minor] of otherVersions) {
    it(`reads a version with ${name}`, async () => {
      const { driver } = await scripted(cleanup, () => ({ data }));
      assert.deepEqual(await driver.version(), { version, major, minor });
    });
  }

  it("names the host and the field of an answer without a version", async () => {
    const { driver } = await scripted(cleanup, () => ({ data: { repoid: "14a22df3" } }));
    const words = "pvea to /version makes no sense: version";
    await refusal(driver.version(), PlatformReason.UNINTELLIGIBLE, words);
  });

  it("takes the nodes for the cluster where its state is not known, but not where it may not be asked", async () => {
    const nodes = { data: [{ node: "pve1", status: "online" }, { node: "pve2" }] };
    const unknown: Script = { status: 501, reason: "Method 'GET /cluster/status' not implemented" };
    const { driver } = await scripted(cleanup, ({ path }) => (path.endsWith("/nodes") ? nodes : unknown));
    assert.deepEqual(await driver.cluster(), {
      kind: "cluster",
      name: null,
      quorate: true,
      nodes: [
        { name: "pve1", online: true, local: false },
        { name: "pve2", online: false, local: false },
      ],
    });
    const forbidden: Script = { status: 403, reason: "Permission check failed (/, Sys.Audit)" };
    const shut = await scripted(cleanup, ({ path }) => (path.endsWith("/nodes") ? nodes : forbidden));
    await refusal(shut.driver.cluster(), PlatformReason.FORBIDDEN, "Sys.Audit");
  });

  it("recognizes a standalone node and a cluster without quorum", async () => {
    const node = {
      type: "node",
      id: "node/pve1",
      name: "pve1",
      ip: "10.0.0.1",
      online: 1,
      local: 1,
      nodeid: 0,
      level: "",
    };
    const standalone = await scripted(cleanup, () => ({ data: [node] }));
    assert.deepEqual(await standalone.driver.cluster(), {
      kind: "standalone",
      name: null,
      quorate: true,
      nodes: [{ name: "pve1", online: true, local: true }],
    });
    const away = { type: "node", name: "pve2", nodeid: 2, online: "0" };
    const entry = { type: "cluster", id: "cluster", name: "c1", nodes: 2, quorate: 0, version: 5 };
    const cluster = await scripted(cleanup, () => ({ data: [entry, node, away] }));
    assert.deepEqual(await cluster.driver.cluster(), {
      kind: "cluster",
      name: "c1",
      quorate: false,
      nodes: [
        { name: "pve1", online: true, local: true },
        { name: "pve2", online: false, local: false },
      ],
    });
  });

  const sights: [what: string, data: unknown, host: string | null, guests: string | null][] = [
    ["all that it is granted", { "/": { "Sys.Audit": 1 }, "/vms/100": { "VM.Audit": 0, "VM.Clone": "1" } }, null, null],
    ["no guest without the right to", { "/": { "Sys.Audit": 1 }, "/vms": { "VM.Clone": 1 } }, null, "VM.Audit"],
    ["no host by a right on a part of it", { "/vms": { "VM.Audit": 1, "Sys.Audit": 1 } }, "Sys.Audit on /", null],
    ["no guest of a host that grants nothing", {}, null, "VM.Audit"],
  ];
  for (const [what, data, missingForHost, missingForGuests] of sights) {
    it(`reads that the connection sees ${what}`, async () => {
      const { driver } = await scripted(cleanup, () => ({ data }));
      assert.deepEqual(await driver.sight(), { missingForHost, missingForGuests });
    });
  }

  it("misses nothing on a host that does not have the method, and reports when it may not be asked", async () => {
    const { driver } = await scripted(cleanup, () => ({ status: 501, reason: "Method not implemented" }));
    assert.deepEqual(await driver.sight(), { missingForHost: null, missingForGuests: null });
    const shut = await scripted(cleanup, () => ({ status: 403, reason: "Permission check failed" }));
    await refusal(shut.driver.sight(), PlatformReason.FORBIDDEN);
  });

  it("takes a quorum for there that is not reported", async () => {
    const { driver } = await scripted(cleanup, () => ({ data: [{ type: "cluster", name: "c1" }] }));
    assert.equal((await driver.cluster()).quorate, true);
  });
});
