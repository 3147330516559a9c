// Checks where suggested moves go while nodes run different versions, or have processors of different architectures.
import assert from "node:assert/strict";
import { cool, gamma, guest, hot, movesOf } from "./example.js";

describe("core/balance between nodes of different versions", () => {
  const older = cool({ name: "old", tunnels: { qemu: 2, lxc: 2 } });
  const newer = cool({ host: gamma, name: "new", tunnels: { qemu: 3, lxc: 3 } });
  const idle = { cpuAverage: 0, memoryUsedMb: 0 };

  it("suggests no move to a node that takes no guest of the source's version", () => {
    assert.deepEqual(movesOf([hot(), { ...older, ...idle }, newer], [guest({ tunnel: 3 })]), ["100 -> 3/new"]);
    assert.deepEqual(movesOf([hot(), older], [guest({ tunnel: 3 })]), []);
  });

  it("prefers a worse node that the guest could come back from", () => {
    assert.deepEqual(movesOf([hot(), older, { ...newer, ...idle }], [guest({ tunnel: 2 })]), ["100 -> 2/old"]);
    assert.deepEqual(movesOf([hot(), older, { ...newer, ...idle }], [guest()]), ["100 -> 3/new"]);
  });

  it("takes one that it could not come back from where no other has room", () => {
    const full = { ...older, memoryUsedMb: 50_000 };
    assert.deepEqual(movesOf([hot(), full, newer], [guest({ tunnel: 2 })]), ["100 -> 3/new"]);
  });

  it("distinguishes machines from containers", () => {
    const mixed = cool({ name: "mixed", ...idle, tunnels: { qemu: 2, lxc: 3 } });
    const moves = (type: "qemu" | "lxc") => movesOf([hot(), mixed, newer], [guest({ type, tunnel: 3 })]);
    assert.deepEqual([moves("qemu"), moves("lxc")], [["100 -> 3/new"], ["100 -> 2/mixed"]]);
  });

  it("suggests no move to processors of another architecture", () => {
    const arm = { ...newer, ...idle, architecture: "arm64" };
    const amd = { ...older, architecture: "amd64" };
    assert.deepEqual(movesOf([hot(), amd, arm], [guest({ architecture: "amd64" })]), ["100 -> 2/old"]);
    assert.deepEqual(movesOf([hot(), arm], [guest({ architecture: "amd64" })]), []);
  });
});
