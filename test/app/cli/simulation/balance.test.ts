// Checks the simulated balance report: its input, its output and its refusals.
import assert from "node:assert/strict";
import { describeProblems } from "../../../../src/core/problem.js";
import { simulateBalance } from "../../../../app/cli/simulation/balance.js";

const node = (host_id: number, name: string, mem_used_mb: number) => ({
  host_id,
  node: name,
  online: true,
  agent: { healthy: true, current: true, last_seen_s: 5 },
  cores: 16,
  cpu_avg30: 0.25,
  mem_total_mb: 65_536,
  mem_used_mb,
  guest_count: 3,
  storages: [{ name: "tank", type: "zfspool", content: ["images", "rootdir"], total_gb: 1000, free_gb: 600 }],
});
const guest = {
  host_id: 1,
  node: "hot",
  vmid: 100,
  type: "qemu",
  status: "running",
  cores: 2,
  memory_mb: 8192,
  mem_used_mb: 8192,
  disk_gb: 20,
  cpu_use: 1,
};
const world = (...guests: object[]) => ({
  hosts: [{ id: 1 }, { id: 2 }],
  nodes: [node(1, "hot", 57_344), node(2, "cool", 16_384)],
  guests,
});

function result(input: unknown) {
  const simulated = simulateBalance(input);
  assert.ok(simulated.ok, simulated.ok ? "" : describeProblems(simulated.problems));
  return simulated.value;
}

describe("app/cli/simulation/balance", () => {
  it("answers in the words of the contract, loads in percent", () => {
    assert.deepEqual(result(world(guest)), {
      hot: [{ host_id: 1, node: "hot" }],
      suggestions: [
        {
          host_id: 1,
          vmid: 100,
          from: { host_id: 1, node: "hot" },
          to: { host_id: 2, node: "cool", storage: "tank" },
          source_after: { ram: 75, cpu: 18.75 },
          target_after: { ram: 37.5, cpu: 31.25 },
        },
      ],
      skipped: [],
      hot_after: 0,
    });
  });

  const obstacles: [change: object, reason: RegExp][] = [
    [{ template: true }, /template/],
    [{ safety_copy: true }, /safety copy/],
    [{ busy: true }, /busy/],
    [{ snapshots: true }, /snapshots/],
    [{ snapshots: 2 }, /snapshots/],
    [{ passthrough: true }, /PCI/],
    [{ iso: true }, /CD drive/],
    [{ superuser_settings: true }, /root@pam/],
    [{ panel_ips: 2 }, /2 addresses/],
  ];
  for (const [change, reason] of obstacles) {
    it(`passes over a guest with ${JSON.stringify(change)}`, () => {
      const { suggestions, skipped, hot_after: hotAfter } = result(world({ ...guest, ...change }));
      assert.deepEqual({ suggestions, hotAfter }, { suggestions: [], hotAfter: 1 });
      assert.match(JSON.stringify(skipped), reason);
    });
  }
  for (const change of [{ snapshots: 0 }, { snapshots: false }, { panel_ips: 1 }, { busy: false }]) {
    it(`moves a guest with ${JSON.stringify(change)}`, () => {
      assert.equal(result(world({ ...guest, ...change })).suggestions.length, 1);
    });
  }

  it("takes thresholds and the number of suggestions from the settings", () => {
    assert.equal(result({ ...world(guest), settings: { ram_threshold: 90 } }).hot.length, 0);
    assert.equal(result({ ...world(guest), settings: { cpu_threshold: 20 } }).hot.length, 2);
    assert.equal(result({ ...world(guest), settings: { max_suggestions: 0 } }).suggestions.length, 0);
  });

  for (const [input, message] of [
    [world({ ...guest, node: "gone" }), "guests[0].node gone of host 1 is no node of the input"],
    [world({ ...guest, type: "vm" }), "guests[0].type must be qemu or lxc"],
    [world({ ...guest, memory_mb: "8 GiB" }), "guests[0].memory_mb must be a number of at least 0"],
    [{ ...world(guest), settings: { ram_threshold: 101 } }, "settings.ram_threshold must be a number from 0 to 100"],
    [
      { ...world(guest), settings: { max_suggestions: 1.5 } },
      "settings.max_suggestions must be an integer of at least 0",
    ],
  ] as const) {
    it(`refuses: ${message}`, () => {
      const simulated = simulateBalance(input);
      assert.equal(simulated.ok ? "" : describeProblems(simulated.problems), message);
    });
  }
});
