// Checks the simple answers about a guest's configuration.
import assert from "node:assert/strict";
import {
  configEntries,
  configText,
  cores,
  memoryMb,
  parseTags,
} from "../../../../src/hypervisor/proxmox/config/values.js";
import { parseSize } from "../../../../src/hypervisor/proxmox/config/size.js";

describe("hypervisor/proxmox/config/values", () => {
  it("reads text and numbers, and nothing else, as text", () => {
    const config = { name: "web1", memory: 2048, lxc: [["lxc.cap.drop", ""]] };
    assert.equal(configText(config, "name"), "web1");
    assert.equal(configText(config, "memory"), "2048");
    assert.equal(configText(config, "lxc"), null);
    assert.equal(configText(config, "missing"), null);
  });

  it("lists matching keys in numeric order", () => {
    const config = { net10: "c", net2: "b", net0: "a", name: "x" };
    assert.deepEqual(configEntries(config, /^net\d+$/), [
      ["net0", "a"],
      ["net2", "b"],
      ["net10", "c"],
    ]);
  });

  for (const [memory, expected] of [
    [2048, 2048],
    ["2048", 2048],
    ["current=4096", 4096],
    [undefined, 512],
    ["", 512],
  ]) {
    it(`memory ${memory} is ${expected} MiB`, () => assert.equal(memoryMb({ memory }), expected));
  }

  for (const [config, type, expected] of [
    [{}, "qemu", 1],
    [{ cores: 4 }, "qemu", 4],
    [{ cores: "4", sockets: 2 }, "qemu", 8],
    [{ cores: 4, sockets: 2, vcpus: 6 }, "qemu", 6],
    [{ cores: 3 }, "lxc", 3],
    [{}, "lxc", null],
  ] as const) {
    it(`${type} ${JSON.stringify(config)} has ${expected} cores`, () => assert.equal(cores(type, config), expected));
  }

  it("splits tags as Proxmox VE writes and reads them", () => {
    assert.deepEqual(parseTags("a;b"), ["a", "b"]);
    assert.deepEqual(parseTags(" a, b  c;"), ["a", "b", "c"]);
    assert.deepEqual(parseTags(null), []);
  });

  for (const [text, bytes] of [
    ["0", 0],
    ["528K", 540_672],
    ["4M", 4_194_304],
    ["32G", 34_359_738_368],
    ["1.5T", 1_649_267_441_664],
    ["32g", 34_359_738_368],
    ["1024", 1024],
    ["", null],
    ["32GB", null],
    ["-1G", null],
    ["G", null],
  ] as const) {
    it(`size ${JSON.stringify(text)} is ${bytes} bytes`, () => assert.equal(parseSize(text), bytes));
  }
});
