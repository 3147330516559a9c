// What a node tells of its packages, in the forms of versions 7.4 to 9.3, and what is known of one that does not tell.
import assert from "node:assert/strict";
import { PlatformReason } from "../../../src/hypervisor/platformError.js";
import { Cleanup, scripted } from "../support/driver.js";
import { refusal } from "../support/rejection.js";
import type { Script } from "../support/scriptedHost.js";

const row = (name: string, OldVersion: string | undefined, change: object = {}) => ({
  Package: name,
  Version: "99.0",
  ...(OldVersion === undefined ? {} : { OldVersion }),
  CurrentState: "Installed",
  Arch: "all",
  Section: "admin",
  ...change,
});

const NOTHING = { qemuServer: null, pveContainer: null, architecture: null };

describe("hypervisor/proxmox/software", () => {
  const cleanup = new Cleanup();
  afterEach(() => cleanup.run());

  it("reads what is installed, not what could be, and the architecture of what is built for one", async () => {
    const rows = [
      row("proxmox-ve", "9.2.0"),
      row("pve-container", "6.1.10"),
      row("qemu-server", "9.2.6", { Arch: "arm64" }),
      row("zfsutils-linux", "2.4.4", { Arch: "arm64" }),
    ];
    const { host, driver } = await scripted(cleanup, () => ({ data: rows }));
    const found = { qemuServer: "9.2.6", pveContainer: "6.1.10", architecture: "arm64" };
    assert.deepEqual(await driver.software("pve1"), found);
    assert.deepEqual(
      host.arrivals.map(({ path }) => path),
      ["/api2/json/nodes/pve1/apt/versions"],
    );
  });

  const answers: [what: string, answer: Script, found: object][] = [
    [
      "packages that are not installed",
      { data: [row("qemu-server", undefined, { CurrentState: "NotInstalled" })] },
      NOTHING,
    ],
    [
      "packages that are half removed",
      { data: [row("qemu-server", "9.2.6", { CurrentState: "ConfigFiles" })] },
      NOTHING,
    ],
    [
      "other packages only",
      { data: [row("ceph-fuse", "16.2", { Arch: "amd64" })] },
      { ...NOTHING, architecture: "amd64" },
    ],
    ["rows without keys", { data: [{}, { Package: "qemu-server", CurrentState: "Installed" }] }, NOTHING],
    ["nothing", { data: null }, NOTHING],
    ["that the connection may not see it", { status: 403, reason: "Permission check failed (Sys.Audit)" }, NOTHING],
    ["that it does not know the question", { status: 501, reason: "Method not implemented" }, NOTHING],
  ];
  for (const [what, answer, found] of answers) {
    it(`reads of a node that reports ${what} no more than that`, async () => {
      const { driver } = await scripted(cleanup, () => answer);
      assert.deepEqual(await driver.software("pve1"), found);
    });
  }

  it("distinguishes a failure from a refusal", async () => {
    const { driver } = await scripted(cleanup, () => ({ status: 500, reason: "unable to open package cache" }));
    await refusal(driver.software("pve1"), PlatformReason.FAILED, "unable to open package cache");
  });

  it("does not take an answer of another form for one", async () => {
    const { driver } = await scripted(cleanup, () => ({ data: "qemu-server 9.2.6" }));
    await refusal(driver.software("pve1"), PlatformReason.UNINTELLIGIBLE, "expected a list");
  });
});
