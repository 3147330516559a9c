// What a machine would miss on another node: its machine type, processors, and what its CPU model needs.
import assert from "node:assert/strict";
import { machineHardware } from "../../../src/hypervisor/proxmox/config/hardware.js";
import { FITS, hardwareFit, type HardwareQuestion, type Processor } from "../../../src/core/migration/hardware.js";

const V2 = "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3".split(" ");
const V3 = [...V2, ..."aes abm avx avx2 bmi1 bmi2 f16c fma movbe".split(" ")];
const epyc: Processor = { model: "EPYC", flags: [...V3, "svm"] };
const xeon: Processor = { model: "Xeon", flags: V2 };

/** A question of a machine with this configuration. */
type Change = Partial<Omit<HardwareQuestion, "hardware">> & { readonly config?: Record<string, unknown> };

const question = ({ config = {}, ...change }: Change, nodes: Partial<HardwareQuestion["nodes"]> = {}) =>
  hardwareFit({
    type: "qemu",
    mode: "offline",
    hardware: machineHardware(config),
    runningMachine: null,
    nodes: { source: epyc, target: epyc, targetCores: 8, targetMachines: ["pc-q35-8.2", "pc-i440fx-9.0"], ...nodes },
    ...change,
  });

const newerThanSome = (machine: string) =>
  question({ config: { machine } }, { targetMachines: ["pc-q35-8.2", "pc-q35-9.1", "pc-i440fx-9.9"] }).newerMachine;

describe("core/migration/hardware", () => {
  const machines: [what: string, change: Change, newer: string | null][] = [
    ["newer than the target's", { config: { machine: "pc-q35-9.0+pve0" } }, "pc-q35-9.0+pve0"],
    ["with options", { config: { machine: "type=pc-q35-10.0,viommu=intel" } }, "pc-q35-10.0"],
    ["as new as the target's", { config: { machine: "pc-q35-8.2+pve1" } }, null],
    ["older", { config: { machine: "pc-i440fx-6.1" } }, null],
    ["without a version", { config: { machine: "q35" } }, null],
    ["of no known kind", { config: { machine: "microvm" } }, null],
    ["that a stopped one ran with", { runningMachine: "pc-q35-9.2" }, null],
    ["that it runs with", { mode: "live", runningMachine: "pc-q35-9.2+pve1" }, "pc-q35-9.2+pve1"],
  ];
  for (const [what, change, newer] of machines) {
    it(`${newer === null ? "does not object to" : "finds"} a machine type ${what}`, () => {
      assert.equal(question(change).newerMachine, newer);
    });
  }

  it("does not judge machine types of a target that reports none, nor one that runs and is not reported", () => {
    assert.equal(question({ config: { machine: "pc-q35-99.0" } }, { targetMachines: [] }).newerMachine, undefined);
    assert.equal(
      question({ config: { machine: "pc-q35-9.0" } }, { targetMachines: ["pc-i440fx-9.2"] }).newerMachine,
      undefined,
    );
    assert.equal(question({ mode: "live", config: { machine: "q35" } }).newerMachine, undefined);
  });

  it("finds a machine type too new only if every type of its kind on the target is older", () => {
    assert.deepEqual(["pc-q35-9.0", "pc-q35-9.1", "pc-q35-9.2"].map(newerThanSome), [null, null, "pc-q35-9.2"]);
  });

  it("counts processors in all sockets, plugged in or not", () => {
    assert.equal(question({ config: { sockets: 2, cores: "4" } }).processors, null);
    assert.equal(question({ config: { sockets: 8 } }).processors, null);
    assert.equal(question({ config: { cores: 8 } }).processors, null);
    assert.equal(question({ config: { cores: 9 } }, { targetCores: 0 }).processors, undefined);
    assert.equal(question({ config: { cores: 2 } }, { targetCores: 1 }).processors, 2);
    assert.equal(question({ config: { sockets: 3, cores: 3, vcpus: 2 } }).processors, 9);
    assert.equal(question({ config: { cores: 9 } }, { targetCores: null }).processors, undefined);
  });

  it("names what a level needs and the target lacks", () => {
    const config = { cpu: "cputype=x86-64-v2-AES,flags=+pcid" };
    assert.deepEqual(question({ config }, { target: xeon }).missingFlags, { model: "x86-64-v2-AES", flags: ["aes"] });
    assert.equal(question({ config: { cpu: "x86-64-v2" } }, { target: xeon }).missingFlags, null);
    const old = { model: "old", flags: ["aes", "cx16", "lahf_lm", "popcnt"] };
    assert.deepEqual(question({ config }, { target: old }).missingFlags?.flags, ["sse4_1", "sse4_2", "ssse3"]);
    const level = { config: { cpu: "x86-64-v2" } };
    assert.deepEqual(question(level, { target: old }).missingFlags?.flags, ["sse4_1", "sse4_2", "ssse3"]);
    assert.equal(question({ config }, { target: null }).missingFlags, undefined);
    assert.equal(question({ config }, { target: { model: "untold", flags: [] } }).missingFlags, undefined);
    assert.equal(question({ config: { cpu: "kvm64" } }, { target: null }).missingFlags, null);
  });

  const others: [what: string, change: Change, target: Processor, matters: boolean][] = [
    ["the node's own, running", { mode: "live", config: { cpu: "host" } }, xeon, true],
    ["the node's own, stopped", { config: { cpu: "host,flags=+aes" } }, xeon, false],
    ["the node's own, running, on an equal one", { mode: "live", config: { cpu: "host" } }, epyc, false],
    ["of a maker, on a lesser one", { config: { cpu: "EPYC-Milan" } }, xeon, true],
    ["of a maker, on a greater one", { config: { cpu: "EPYC" } }, { model: "EPYC 2", flags: epyc.flags }, false],
    ["a plain one", { mode: "live", config: { cpu: "kvm64" } }, xeon, false],
    ["a level", { mode: "live", config: { cpu: "x86-64-v3" } }, xeon, false],
    ["none", { mode: "live" }, xeon, false],
  ];
  for (const [what, change, target, matters] of others) {
    it(`${matters ? "minds" : "does not mind"} another processor when the model is ${what}`, () => {
      assert.equal(question(change, { target }).otherProcessor !== null, matters);
    });
  }

  it("does not judge processors that are not reported, unless the model is the same everywhere", () => {
    assert.equal(question({ mode: "live", config: { cpu: "host" } }, { target: null }).otherProcessor, undefined);
    assert.equal(question({ mode: "live" }, { target: null }).otherProcessor, null);
  });

  it("asks nothing for a container", () => {
    assert.deepEqual(question({ type: "lxc", config: { cores: 99 } }), FITS);
  });
});
