// The node's figures from the kernel's texts and its version from the installed files.
import assert from "node:assert/strict";
import { cpuUsage, parseCpuTimes, parseMemory } from "../../../agent/platform/figures.js";
import { versionInDpkgStatus, versionInPveConfig } from "../../../agent/platform/hypervisorVersion.js";

const STAT = `cpu  1000 20 300 8000 500 0 30 150 400 0
cpu0 500 10 150 4000 250 0 15 75 200 0
cpu1 500 10 150 4000 250 0 15 75 200 0
intr 114930548 113199788 3 0 5
ctxt 1990473
`;

const MEMINFO = `MemTotal:       65813580 kB
MemFree:         1277000 kB
MemAvailable:   44841964 kB
Buffers:          377000 kB
`;

const DPKG = `Package: pve-kernel-helper
Status: install ok installed
Version: 7.3-1

Package: pve-manager
Status: install ok installed
Priority: optional
Architecture: amd64
Version: 8.4.5
Depends: apt (>= 1.5~)

Package: qemu-server
Status: install ok installed
Version: 8.3.12
`;

const PVECFG = `package PVE::pvecfg;

sub package {
    return 'pve-manager';
}

sub version {
    return '7.4-3';
}

sub release {
    return '7.4';
}
`;

describe("agent figures", () => {
  it("sums /proc/stat without counting guests twice, waiting for disks as idle", () => {
    assert.deepEqual(parseCpuTimes(STAT), { busy: 1500, total: 10_000 });
  });

  it("takes the short line of old kernels", () => {
    assert.deepEqual(parseCpuTimes("cpu 10 0 10 80\n"), { busy: 20, total: 100 });
  });

  it("refuses a text without the line of all cores", () => {
    assert.throws(() => parseCpuTimes("cpu0 1 2 3 4\n"), /no line of all cores/);
    assert.throws(() => parseCpuTimes(""), /no line of all cores/);
  });

  const uses: [string, number, number, number][] = [
    ["a third", 33, 100, 0.33],
    ["nothing", 0, 100, 0],
    ["all", 100, 100, 1],
    ["no time passed", 0, 0, 0],
    ["counters that went back", -50, -100, 0],
    ["idle that went back", 120, 100, 1],
  ];
  for (const [name, busy, total, use] of uses) {
    it(`CPU use: ${name}`, () => {
      assert.equal(cpuUsage({ busy: 1000, total: 5000 }, { busy: 1000 + busy, total: 5000 + total }), use);
    });
  }

  it("reads memory in megabytes", () => {
    assert.deepEqual(parseMemory(MEMINFO), { totalMb: 64271, usedMb: 20480 });
  });

  it("refuses a text without MemAvailable", () => {
    assert.throws(() => parseMemory("MemTotal: 1 kB\n"), /lacks/);
  });
});

describe("agent: version of Proxmox VE", () => {
  it("finds pve-manager among the packages", () => assert.equal(versionInDpkgStatus(DPKG), "8.4.5"));
  it("is unknown when the package was removed", () => {
    const removed = DPKG.replace(
      "pve-manager\nStatus: install ok installed",
      "pve-manager\nStatus: deinstall ok config-files",
    );
    assert.equal(versionInDpkgStatus(removed), null);
  });
  it("is unknown without the package", () => assert.equal(versionInDpkgStatus("Package: bash\nVersion: 5\n"), null));
  it("reads PVE's module", () => assert.equal(versionInPveConfig(PVECFG), "7.4-3"));
  it("is unknown in another module", () => assert.equal(versionInPveConfig("package X;\n"), null));
});
