// Checks reading and changing of property strings.
import assert from "node:assert/strict";
import { changeProperties, isOn, parseProperties } from "../../../../src/hypervisor/proxmox/config/propertyString.js";

describe("hypervisor/proxmox/config/propertyString", () => {
  const readings: [text: string, defaultKey: string | undefined, expected: Record<string, string>][] = [
    ["", undefined, {}],
    ["virtio=BC:24:11:00:00:01,bridge=vmbr0", undefined, { virtio: "BC:24:11:00:00:01", bridge: "vmbr0" }],
    ["local-lvm:vm-1-disk-0,size=32G", "file", { file: "local-lvm:vm-1-disk-0", size: "32G" }],
    ["file=local-lvm:vm-1-disk-0,size=32G", "file", { file: "local-lvm:vm-1-disk-0", size: "32G" }],
    ["cputype=host,flags=+aes;-pcid", "cputype", { cputype: "host", flags: "+aes;-pcid" }],
    ["base64=1,manufacturer=QT1C", undefined, { base64: "1", manufacturer: "QT1C" }],
    ["description=a=b", undefined, { description: "a=b" }],
    ["nesting", undefined, { nesting: "" }],
    ["a=1,,b=2", "file", { a: "1", b: "2" }],
  ];
  for (const [text, defaultKey, expected] of readings) {
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.deepEqual(Object.fromEntries(parseProperties(text, defaultKey)), expected);
    });
  }

  const net0 = "name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:01,ip=dhcp,type=veth";
  const changes: [text: string, change: Record<string, string | null>, expected: string][] = [
    [net0, { ip: "10.0.0.5/24" }, "name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:01,ip=10.0.0.5/24,type=veth"],
    [net0, { ip: null, gw: null }, "name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:01,type=veth"],
    [net0, { gw: "10.0.0.1" }, `${net0},gw=10.0.0.1`],
    ["local:1,size=1G", { size: "2G" }, "local:1,size=2G"],
    ["", { ip: "dhcp" }, "ip=dhcp"],
    ["a=1", {}, "a=1"],
  ];
  for (const [text, change, expected] of changes) {
    it(`changes ${JSON.stringify(change)} and nothing else`, () => {
      assert.equal(changeProperties(text, change), expected);
    });
  }

  for (const value of ["1", "on", "yes", "true", "ON"]) it(`${value} is on`, () => assert.equal(isOn(value), true));
  for (const value of ["0", "off", "no", "false", "", "2", undefined]) {
    it(`${value} is off`, () => assert.equal(isOn(value), false));
  }
});
