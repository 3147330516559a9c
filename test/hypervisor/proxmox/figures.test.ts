// The figures of a host at the ends of their ranges and beyond, whatever they are written as.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import { memoryMb, cores } from "../../../src/hypervisor/proxmox/config/values.js";
import { parseSize } from "../../../src/hypervisor/proxmox/config/size.js";
import { figureIn, momentOrNull, wholeFigureIn, type Figure } from "../../../src/hypervisor/proxmox/figures.js";
import { nameIn, textIn } from "../../../src/hypervisor/proxmox/parse.js";
import { parseResources } from "../../../src/hypervisor/proxmox/resources.js";

const ENDS: readonly (readonly [figure: Figure, least: number, largest: number])[] = [
  ["ramBytes", 0, 2 ** 48],
  ["ramMib", 0, 2 ** 28],
  ["diskBytes", 0, 2 ** 60],
  ["cores", 0, 65_536],
  ["cpuShare", 0, 1000],
  ["uptimeSeconds", 0, 2 ** 31 - 1],
  ["vmid", 100, 999_999_999],
  ["mtu", 0, 65_535],
  ["vlan", 0, 4094],
];

/** To the next number that there is. */
const step = (from: number): number => (from < 2 ** 53 ? 1 : 2 ** 8);

const nodes = (count: number) => Array.from({ length: count }, (_, index) => ({ type: "node", node: `pve${index}` }));

describe("hypervisor/proxmox/figures", () => {
  for (const [figure, least, largest] of ENDS) {
    it(`reads ${figure} from ${least} to ${largest}, as a number and as text`, () => {
      for (const value of [least, largest, String(least), String(largest)])
        assert.equal(figureIn(value, figure), Number(value));
      for (const value of [least - 1, largest + step(largest), String(largest + step(largest)), -1, 1e300])
        assert.equal(figureIn(value, figure), null, String(value));
    });
  }

  it("reads nothing that is no figure", () => {
    for (const value of [null, undefined, "", " ", "NaN", "Infinity", "12 GB", true, [], [1], {}, Number.NaN])
      assert.equal(figureIn(value, "count"), null, inspect(value));
    assert.equal(wholeFigureIn("1e300", "count"), null);
    assert.equal(wholeFigureIn("1.5", "count"), 2);
  });

  it("reads a moment of the calendar alone", () => {
    assert.equal(momentOrNull.parse(1_700_000_000)?.toISOString(), "2023-11-14T22:13:20.000Z");
    for (const value of [0, -1, 1e300, 253_402_300_800, undefined, null, {}])
      assert.equal(momentOrNull.parse(value), null);
  });

  it("takes what a configuration states beyond all measure for the most there can be: such a guest fits nowhere", () => {
    assert.equal(memoryMb({ memory: "9".repeat(400) }), 2 ** 28);
    assert.equal(cores("qemu", { sockets: 99_999, cores: "99999999999999999999" }), 65_536);
    assert.equal(cores("lxc", { cores: 1e21 }), 1);
    assert.equal(cores("lxc", { cores: "9".repeat(30) }), 65_536);
  });

  it("reads no size of a disk that cannot be", () => {
    assert.equal(parseSize("1048576T"), 2 ** 60);
    for (const size of ["1048577T", "9".repeat(400), "-1G", "1e5G", "G"]) assert.equal(parseSize(size), null);
  });

  it("leaves out of texts what no database keeps, and what is too long", () => {
    assert.equal(textIn("a\0b\uD800c"), "a\uFFFDb\uFFFDc");
    assert.equal(textIn("é日本🐑"), "é日本🐑");
    assert.equal(textIn("x".repeat(20_000))?.length, 16_384);
    assert.equal(nameIn("x".repeat(500))?.length, 500);
    assert.equal(nameIn("x".repeat(501)), null);
  });

  it("names the figures of an overview that cannot be, the first ones, and reads none of them", () => {
    const row = { type: "qemu", node: "pve1", status: "running", maxmem: 1e300, cpu: -1, mem: "", uptime: null };
    const some = parseResources([{ ...row, id: "qemu/100", vmid: 100 }]);
    assert.deepEqual(some.impossible, ["qemu/100: cpu", "qemu/100: maxmem", "qemu/100: mem"]);
    const [guest] = some.guests;
    assert.deepEqual([guest?.memoryBytes, guest?.cpuUsage, guest?.uptimeSeconds], [null, null, null]);
    const many = parseResources(Array.from({ length: 50 }, (_, index) => ({ ...row, vmid: 100 + index })));
    assert.ok(many.impossible.length >= 10 && many.impossible.length < 20);
    assert.deepEqual(
      parseResources([{ type: "node", node: "pve1", maxmem: 2 ** 40, cpu: 0.5, mem: 0 }]).impossible,
      [],
    );
  });

  it("refuses a host of more nodes than any has", () => {
    assert.equal(parseResources(nodes(1000)).nodes.length, 1000);
    assert.throws(() => parseResources(nodes(1001)), /more than 1000 nodes/);
  });
});
