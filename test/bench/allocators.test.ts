// The fleet that Drover's simulations and ganeti's tools are given is the same one, and a whole command counts when it answers.
import assert from "node:assert/strict";
import { placeOf, takes } from "../../bench/allocators/command.js";
import { droverWorld, fleetOf } from "../../bench/allocators/fleet.js";
import { ganetiFleet, guestsOfHotNodes } from "../../bench/allocators/ganeti.js";
import { simulateBalance } from "../../app/cli/simulation/balance.js";

const NODES = 10;

describe("bench/allocators", () => {
  it("describes the same nodes and guests to both", () => {
    const world: { nodes: Record<string, unknown>[]; guests: Record<string, unknown>[] } = JSON.parse(
      droverWorld(fleetOf(NODES)),
    );
    const [groups, nodes = [], guests = [], tags, rules] = sectionsOf(ganetiFleet(fleetOf(NODES)));
    assert.deepEqual([groups?.length, nodes.length, tags, rules?.length], [1, NODES, [], 2]);
    assert.deepEqual(
      nodes.map(([name, total, , free, , , cores]) => [
        name,
        Number(total),
        Number(total) - Number(free),
        Number(cores),
      ]),
      world.nodes.map((node) => [node["node"], node["mem_total_mb"], node["mem_used_mb"], node["cores"]]),
    );
    assert.deepEqual(
      guests.map(([name, memory, disk, cores, , , node]) => [
        name,
        Number(memory),
        Number(disk) / 1024,
        Number(cores),
        node,
      ]),
      world.guests.map((guest) => [
        `guest${String(guest["vmid"])}`,
        guest["memory_mb"],
        guest["disk_gb"],
        guest["cores"],
        guest["node"],
      ]),
    );
  });

  it("has hbal look at the guests of the nodes that are hot to Drover", () => {
    const fleet = fleetOf(NODES);
    const report = simulateBalance(JSON.parse(droverWorld(fleet)));
    assert.ok(report.ok);
    assert.deepEqual(report.value.hot, [{ host_id: 2, node: "pve5" }]);
    const [, , guests = []] = sectionsOf(ganetiFleet(fleet));
    const ofHotNode = guests.filter((fields) => fields[6] === "pve5").map(([name]) => name);
    assert.deepEqual(guestsOfHotNodes(fleet).split(","), ofHotNode);
  });

  it("counts a command that answers as expected, and no other", async function () {
    if ((await placeOf("bash")) === null) this.skip();
    const figures = await takes(saying("console.error('a warning'); console.log('found')"));
    assert.ok((figures["CPU ms"] ?? 0) > 0 && (figures["ms"] ?? 0) > 0);
    await assert.rejects(takes(saying("console.log('none')")), /did not answer as expected, exit code 0/);
    await assert.rejects(takes(saying("console.log('found'); process.exit(3)")), /exit code 3/);
  });
});

/** Its sections, lines and fields. */
const sectionsOf = (text: string): string[][][] =>
  text
    .replace(/\n$/, "")
    .split("\n\n")
    .flatMap((part) => (part.startsWith("\n") ? [[], linesOf(part.slice(1))] : [linesOf(part)]));

const linesOf = (section: string): string[][] => section.split("\n").map((line) => line.split("|"));

const saying = (code: string) => ({ file: process.execPath, given: ["-e", code], answers: /found/ });
