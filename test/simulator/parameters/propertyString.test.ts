// Tests property strings: taking them apart, writing them, and what cannot be read.
import assert from "node:assert/strict";
import { propertyTable } from "../../../simulator/parameters/namedFormats.js";
import { FormatError, parsePropertyString, printPropertyString } from "../../../simulator/parameters/propertyString.js";
import type { PropertyTable } from "../../../simulator/parameters/propertyTable.js";
import { methodTable } from "../../../simulator/parameters/schema.js";
import { formatSize, parseSize } from "../../../simulator/parameters/sizes.js";

function tableOf(type: "qemu" | "lxc", key: string): PropertyTable {
  return propertyTable(methodTable("9.2", `POST /nodes/{node}/${type}`)?.[key]?.format) ?? assert.fail(key);
}

const card = tableOf("qemu", "net[n]");
const drive = tableOf("qemu", "scsi[n]");

describe("simulator: property strings", () => {
  it("MUST read a model that holds the MAC address as two keys", () => {
    assert.deepEqual(parsePropertyString("virtio=BC:24:11:00:00:01,bridge=vmbr0,firewall=on", card), {
      model: "virtio",
      macaddr: "BC:24:11:00:00:01",
      bridge: "vmbr0",
      firewall: "1",
    });
  });

  it("MUST write them together again, then the rest by name", () => {
    const text = "virtio=BC:24:11:00:00:01,bridge=vmbr0,firewall=1,tag=20";
    assert.equal(
      printPropertyString(
        parsePropertyString("tag=20,firewall=yes,bridge=vmbr0,model=virtio,macaddr=BC:24:11:00:00:01", card),
        card,
      ),
      text,
    );
  });

  it("MUST read the first part without a key as the default key", () => {
    assert.deepEqual(parsePropertyString("local:100/vm-100-disk-0.raw,size=32G", drive), {
      file: "local:100/vm-100-disk-0.raw",
      size: "32G",
    });
  });

  const refusals: [string, string][] = [
    ["virtio,bridge=a,bridge=b", "duplicate key in comma-separated list property: bridge"],
    ["virtio,=x", "missing key in comma-separated list property"],
    ["virtio,e1000", "duplicate key in comma-separated list property: model"],
    ["model=virtio,e1000=BC:24:11:00:00:01", "key alias 'model' is already defined"],
  ];
  for (const [text, message] of refusals)
    it(`MUST refuse '${text}'`, () => assert.throws(() => parsePropertyString(text, card), new FormatError(message)));

  it("MUST put required keys of a container's interface first", () => {
    const table = tableOf("lxc", "net[n]");
    const entry = parsePropertyString("ip=dhcp,hwaddr=BC:24:11:00:00:01,bridge=vmbr0,name=eth0", table);
    assert.equal(printPropertyString(entry, table), "name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:01,ip=dhcp");
  });

  it("MUST read and write sizes with binary units", () => {
    const sizes: [string, number | null][] = [
      ["32G", 32 * 1024 ** 3],
      ["1.5G", 1.5 * 1024 ** 3],
      ["4M", 4 * 1024 ** 2],
      ["100", 100],
      ["12X", null],
      ["", null],
    ];
    for (const [text, bytes] of sizes) assert.equal(parseSize(text), bytes, text);
    assert.equal(formatSize(1536 * 1024 ** 2), "1536M");
    assert.equal(formatSize(1024 ** 4), "1T");
    assert.equal(formatSize(540_672), "528K");
  });
});
