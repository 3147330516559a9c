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

  it("reads privileges by path", async () => {
    const { driver } = await scripted(cleanup, () => ({
      data: { "/": { "Sys.Audit": 1 }, "/vms": { "VM.Audit": 0, "VM.Clone": "1" } },
    }));
    assert.deepEqual(
      await driver.permissions(),
      new Map([
        ["/", new Set(["Sys.Audit"])],
        ["/vms", new Set(["VM.Audit", "VM.Clone"])],
      ]),
    );
  });

  it("knows a free VMID from a taken one and from one that is out of range", async () => {
    const answers = [
      { data: "321" },
      { status: 400, reason: "Parameter verification failed.", body: { errors: { vmid: "VM 9000 already exists" } } },
      {
        status: 400,
        reason: "Parameter verification failed.",
        body: { errors: { vmid: "value must have a minimum value of 100" } },
      },
    ];
    const { driver } = await scripted(cleanup, (_, index) => answers[index] ?? "drop");
    assert.equal(await driver.vmidIsFree(321), true);
    assert.equal(await driver.vmidIsFree(9000), false);
    await refusal(driver.vmidIsFree(1), PlatformReason.REFUSED, "minimum value of 100");
  });

  it("takes no VMID for free when the refusal does not say why", async () => {
    const { driver } = await scripted(cleanup, () => ({ status: 400, reason: "Parameter verification failed." }));
    assert.equal(await driver.vmidIsFree(321), false);
  });

  it("looks among the guests when the answer names another VMID", async () => {
    const guests = { data: [{ type: "lxc", id: "lxc/321", vmid: 321, node: "pve1" }] };
    const answers: Script[] = [{ data: 322 }, guests, { data: "322" }, guests];
    const { driver } = await scripted(cleanup, (_, index) => answers[index] ?? "drop");
    assert.equal(await driver.vmidIsFree(321), false);
    assert.equal(await driver.vmidIsFree(320), true);
  });
});
