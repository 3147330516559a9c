// Checks which moves are suggested, in which order, where to, and what is said about the rest.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { isUnder } from "../../../src/core/balance/load.js";
import type { NodeState } from "../../../src/core/placement/snapshot.js";
import { GIB } from "../../../src/core/units.js";
import { agent, host, node, NOW, storage } from "../placement/example.js";
import { beta, cool, gamma, guest, hot, movesOf, report, settings } from "./example.js";

describe("core/balance/suggest", () => {
  it("suggests a move with the loads that it leads to", () => {
    const { hotNodes, suggestions, skipped, hotAfter, loadsAfter } = report([hot(), cool()], [guest()]);
    assert.deepEqual(suggestions, [
      {
        guest: guest(),
        toHostId: 2,
        toNode: "cool",
        toStorage: "local-lvm",
        sourceAfter: { ram: 0.75, cpu: 0.1875 },
        targetAfter: { ram: 0.375, cpu: 0.3125 },
        freesMemoryMb: 8_192,
        freesCpu: 0.0625,
        explanation: "hot falls to RAM 75 %, CPU 18.8 %; cool rises to RAM 37.5 %, CPU 31.3 %",
      },
    ]);
    assert.deepEqual(hotNodes, [
      {
        hostId: 1,
        node: "hot",
        load: { ram: 0.875, cpu: 0.25 },
        reason: "RAM 87.5 % is above 80 %",
        unresolvedReason: null,
      },
    ]);
    assert.deepEqual({ skipped, hotAfter }, { skipped: [], hotAfter: 0 });
    assert.deepEqual(loadsAfter, [suggestions[0]?.sourceAfter, suggestions[0]?.targetAfter]);
  });

  it("has nothing to report when no node is hot", () => {
    assert.deepEqual(report([cool()], [guest({ hostId: 2, node: "cool" })]), {
      hotNodes: [],
      suggestions: [],
      skipped: [],
      hotAfter: 0,
      loadsAfter: [{ ram: 0.25, cpu: 0.25 }],
    });
  });

  it("takes the smallest guests first: configured RAM, then disk, then VMID", () => {
    const guests = [
      guest({ vmid: 105, memoryMb: 8_192 }),
      guest({ vmid: 104, memoryMb: 4_096, diskGb: 30 }),
      guest({ vmid: 103, memoryMb: 4_096, diskGb: 20 }),
      guest({ vmid: 102, memoryMb: 4_096, diskGb: 20 }),
    ].map((one) => ({ ...one, memoryUsedMb: 1_024 }));
    assert.deepEqual(movesOf([hot(), cool()], guests), [
      "102 -> 2/cool",
      "103 -> 2/cool",
      "104 -> 2/cool",
      "105 -> 2/cool",
    ]);
  });

  it("stops once the node is under both thresholds, not when it is at one", () => {
    const toEighty = guest({ vmid: 100, memoryMb: 4_096, memoryUsedMb: 57_344 - 52_428.8 });
    assert.deepEqual(movesOf([hot(), cool()], [toEighty, guest({ vmid: 101 })]), ["100 -> 2/cool", "101 -> 2/cool"]);
    const below = { ...toEighty, memoryUsedMb: toEighty.memoryUsedMb + 1 };
    assert.deepEqual(movesOf([hot(), cool()], [below, guest({ vmid: 101 })]), ["100 -> 2/cool"]);
  });

  it("cools the hottest node first, then by host id and name", () => {
    const nodes = [
      hot({ name: "b" }),
      hot({ name: "a" }),
      hot({ name: "c", cpuAverage: 0.99 }),
      hot({ name: "d", memoryUsedMb: 60_000 }),
      cool({ memoryMb: 262_144 }),
    ];
    assert.deepEqual(
      report(nodes, []).hotNodes.map((one) => one.node),
      ["c", "d", "a", "b"],
    );
  });

  describe("candidates", () => {
    it("are running guests only", () => assert.deepEqual(movesOf([hot(), cool()], [guest({ running: false })]), []));
    it("that fail the pre-flight are passed over with the reason", () => {
      const stuck = guest({ vmid: 90, memoryMb: 1_024, obstacle: "the guest has snapshots: pre" });
      const { suggestions, skipped } = report([hot(), cool()], [stuck, guest()]);
      assert.deepEqual(skipped, [{ guest: stuck, reason: "the guest has snapshots: pre" }]);
      assert.equal(suggestions.length, 1);
    });
    for (const [when, change, reason] of [
      ["the agent is missing", { agent: null }, "no agent of the node has reported yet"],
      ["the node is offline", { online: false }, "the node is offline"],
    ] as const) {
      it(`stay when ${when}`, () => {
        assert.deepEqual(report([hot(change), cool()], [guest()]).skipped, [{ guest: guest(), reason }]);
      });
    }
    it("leave hosts in maintenance", () => {
      const inMaintenance = hot({ host: host({ maintenance: true }) });
      assert.equal(report([inMaintenance, cool()], [guest()]).suggestions.length, 1);
    });
  });

  describe("the target", () => {
    const refused: [when: string, target: Partial<NodeState>][] = [
      ["is on the same host", { host: host() }],
      ["is of unknown CPU", { cpuAverage: null }],
      ["is hot already", { memoryUsedMb: 60_000 }],
      ["would reach the RAM threshold", { memoryUsedMb: 52_428.8 - 8_192 }],
      ["would reach the CPU threshold", { cpuAverage: 0.85 - 1 / 16 }],
      ["has too little RAM for the configured size", { memoryReservedMb: 49_152 - 8_191 }],
      ["has too few cores", { cores: 1 }],
      ["has no storage with room", { storages: [storage({ freeBytes: 20 * GIB - 1 })] }],
      ["is in maintenance", { maintenance: true }],
      ["has no agent", { agent: null }],
    ];
    for (const [when, change] of refused) {
      it(`is refused when it ${when}`, () => {
        const { suggestions, skipped } = report([hot(), cool(change)], [guest()]);
        assert.deepEqual(suggestions, []);
        assert.equal(skipped[0]?.reason, "no node of another host has room for it and stays under the thresholds");
      });
    }
    const taken: [when: string, target: Partial<NodeState>][] = [
      ["stays a MiB under the RAM threshold", { memoryUsedMb: 52_428 - 8_192 }],
      ["stays just under the CPU threshold", { cpuAverage: 0.849 - 1 / 16 }],
      ["has exactly the room", { storages: [storage({ freeBytes: 20 * GIB })] }],
    ];
    for (const [when, change] of taken) {
      it(`is taken when it ${when}`, () =>
        assert.deepEqual(movesOf([hot(), cool(change)], [guest()]), ["100 -> 2/cool"]));
    }
    it("is taken when it has exactly the RAM of the configured size", () =>
      assert.deepEqual(movesOf([hot(), cool()], [guest({ memoryMb: 49_152 })]), ["100 -> 2/cool"]));
    it("must stay under with what is reserved for others", () => {
      const room = 52_428 - 8_192 - 16_384;
      assert.deepEqual(movesOf([hot(), cool({ memoryReservedMb: room })], [guest()]), ["100 -> 2/cool"]);
      assert.deepEqual(movesOf([hot(), cool({ memoryReservedMb: room + 1 })], [guest()]), []);
    });
    it("is the next best where the best is known to fail the pre-flight", () => {
      const better = cool({ host: gamma, name: "better", memoryUsedMb: 0 });
      const unwelcome = guest({
        refusedBy: { nodes: [{ hostId: 3, node: "better" }], reason: "nothing of the target is chosen for vmbr7" },
      });
      assert.deepEqual(movesOf([hot(), cool(), better], [unwelcome]), ["100 -> 2/cool"]);
      assert.deepEqual(report([hot(), better], [unwelcome]).skipped, [
        { guest: unwelcome, reason: "nothing of the target is chosen for vmbr7" },
      ]);
    });
    it("is the best-scored one", () => {
      const better = cool({ host: gamma, name: "better", memoryUsedMb: 0 });
      assert.deepEqual(movesOf([hot(), cool(), better], [guest()]), ["100 -> 3/better"]);
    });
    it("is never a node that was hot, even when it is cool by now", () => {
      const second = node({ host: beta, name: "second", memoryUsedMb: 53_000, memoryMb: 65_536 });
      const guests = [
        guest({ vmid: 100, hostId: 2, node: "second", memoryUsedMb: 40_000, memoryMb: 1_024 }),
        guest({ vmid: 101 }),
      ];
      const moves = movesOf(
        [hot({ memoryUsedMb: 53_000 }), second, cool({ host: gamma, memoryMb: 49_152, memoryUsedMb: 0 })],
        guests,
      );
      assert.ok(!moves.some((move) => move.endsWith("2/second")), moves.join());
    });
  });

  it("counts earlier suggestions: a target fills up, on RAM and on disk", () => {
    const small = cool({ storages: [storage({ freeBytes: 30 * GIB })] });
    const guests = [1, 2, 3].map((vmid) => guest({ vmid, memoryUsedMb: 1_024 }));
    const { suggestions, skipped } = report([hot(), small], guests);
    assert.deepEqual(
      suggestions.map((one) => one.guest.vmid),
      [1],
    );
    assert.equal(skipped.length, 2);
  });

  it("counts earlier suggestions on every node of a cluster that shares the storage", () => {
    const ceph = storage({ name: "ceph", shared: true, freeBytes: 30 * GIB });
    const cluster = ["a", "b"].map((name) => cool({ name, storages: [ceph] }));
    const guests = [1, 2].map((vmid) => guest({ vmid, memoryUsedMb: 1_024 }));
    assert.deepEqual(movesOf([hot(), ...cluster], guests), ["1 -> 2/a"]);
    const apart = cluster.map((one) => ({ ...one, storages: [{ ...ceph, shared: false }] }));
    assert.deepEqual(movesOf([hot(), ...apart], guests), ["1 -> 2/a", "2 -> 2/b"]);
  });

  it("counts a disk on a shared storage once, on no other host, and beside other storages of a node", () => {
    const ceph = storage({ name: "ceph", shared: true, freeBytes: 45 * GIB });
    const full = storage({ freeBytes: 0 });
    const cluster = ["a", "b"].map((name) => cool({ name, storages: [full, ceph] }));
    const busy = cool({ host: gamma, name: "c", cpuAverage: 0.7, storages: [ceph] });
    const guests = [1, 2, 3, 4].map((vmid) => guest({ vmid, memoryUsedMb: 1_024, coresUsed: 0.1 }));
    const moves = movesOf([hot(), ...cluster, busy], guests);
    assert.deepEqual(
      moves.map((move) => move.split("/")[0]),
      ["1 -> 2", "2 -> 2", "3 -> 3", "4 -> 3"],
    );
  });

  it("reports agents that are silent for too long, and sends nothing to their nodes", () => {
    const silent = agent({ lastSeenAt: NOW - 200_000 });
    assert.match(
      report([hot({ agent: silent }), cool()], [guest()]).skipped[0]?.reason ?? "",
      /^the agent was last seen/,
    );
    assert.deepEqual(movesOf([hot(), cool({ agent: silent })], [guest()]), []);
  });

  it("sends containers to a node that has no storage for machines", () => {
    const containersOnly = cool({ storages: [storage({ content: ["rootdir"] })] });
    assert.deepEqual(movesOf([hot(), containersOnly], [guest({ type: "lxc" })]), ["100 -> 2/cool"]);
    assert.deepEqual(movesOf([hot(), containersOnly], [guest()]), []);
  });

  it("reports of a source whose CPU is not known that it is unknown", () => {
    const [one] = report([hot({ cpuAverage: null }), cool()], [guest()]).suggestions;
    assert.equal(one?.explanation, "hot falls to RAM 75 %, CPU unknown; cool rises to RAM 37.5 %, CPU 31.3 %");
  });

  it("does not count the source's disk as freed", () => {
    const full = storage({ freeBytes: 0 });
    const { suggestions } = report([hot({ storages: [full] }), cool()], [guest()]);
    assert.equal(suggestions.length, 1);
  });

  it("ends after the greatest number of suggestions, and reports it", () => {
    const guests = [1, 2, 3].map((vmid) => guest({ vmid, memoryUsedMb: 1_024 }));
    const { suggestions, hotNodes, hotAfter } = report([hot(), cool()], guests, { maxSuggestions: 2 });
    assert.equal(suggestions.length, 2);
    assert.equal(hotNodes[0]?.unresolvedReason, "the report ends after 2 suggestions");
    assert.equal(hotAfter, 1);
    assert.equal(report([hot(), cool()], guests, { maxSuggestions: 0 }).suggestions.length, 0);
  });

  it("reports why a node stays hot", () => {
    assert.equal(report([hot(), cool()], []).hotNodes[0]?.unresolvedReason, "no guest is running on it");
    const stuck = [1, 2].map((vmid) => guest({ vmid, obstacle: "the guest has snapshots: pre" }));
    assert.equal(
      report([hot(), cool()], stuck).hotNodes[0]?.unresolvedReason,
      "guest 1: the guest has snapshots: pre; 1 more passed over",
    );
  });

  it("every move leaves a hot host for a node that stays under, whatever was suggested before", () => {
    const nodes = fc.array(
      fc.record({
        hostId: fc.integer({ min: 1, max: 4 }),
        memoryUsedMb: fc.nat({ max: 65_536 }),
        cpuAverage: fc.option(fc.float({ min: 0, max: 1, noNaN: true })),
      }),
      { minLength: 2, maxLength: 8 },
    );
    fc.assert(
      fc.property(
        nodes,
        fc.array(fc.nat({ max: 7 }), { maxLength: 30 }),
        fc.nat({ max: 12 }),
        (states, homes, maxSuggestions) => {
          const world = states.map(({ hostId, ...load }, index) =>
            node({ ...load, host: host({ id: hostId }), name: `n${index}` }),
          );
          const guests = homes.flatMap((home, vmid) => {
            const at = world[home];
            return at
              ? [
                  guest({
                    vmid,
                    hostId: at.host.id,
                    node: at.name,
                    memoryMb: 1_024 * ((vmid % 5) + 1),
                    memoryUsedMb: 700 * (vmid % 7),
                  }),
                ]
              : [];
          });
          const { suggestions, hotNodes } = report(world, guests, { maxSuggestions });
          assert.ok(suggestions.length <= maxSuggestions);
          assert.equal(new Set(suggestions.map((one) => one.guest.vmid)).size, suggestions.length);
          for (const one of suggestions) {
            assert.ok(
              hotNodes.some(({ hostId, node: name }) => hostId === one.guest.hostId && name === one.guest.node),
            );
            assert.ok(!hotNodes.some(({ hostId, node: name }) => hostId === one.toHostId && name === one.toNode));
            assert.notEqual(one.toHostId, one.guest.hostId);
            assert.ok(isUnder(one.targetAfter, settings.thresholds));
          }
        },
      ),
    );
  });
});
