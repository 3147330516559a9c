// Checks the simulated placement: its input, its output and every refusal.
import assert from "node:assert/strict";
import { describeProblems } from "../../../../src/core/problem.js";
import { simulatePlacement } from "../../../../app/cli/simulation/placement.js";

const agent = { healthy: true, current: true, last_seen_s: 5 };
const pve1 = {
  host_id: 1,
  node: "pve1",
  online: true,
  agent,
  cores: 16,
  cpu_avg30: 0.25,
  mem_total_mb: 65_536,
  mem_used_mb: 16_384,
  guest_count: 10,
  storages: [{ name: "tank", type: "zfspool", content: ["images", "rootdir"], total_gb: 1000, free_gb: 600 }],
};
const world = {
  hosts: [{ id: 1, name: "alpha", active: true, maintenance: false }],
  nodes: [pve1],
  request: { type: "qemu", memory_mb: 4096, cores: 2, disk_gb: 20 },
};
const withNode = (change: object) => ({ ...world, nodes: [{ ...pve1, ...change }] });

function result(input: unknown) {
  const simulated = simulatePlacement(input);
  assert.ok(simulated.ok, simulated.ok ? "" : describeProblems(simulated.problems));
  return simulated.value;
}

function refusal(input: unknown): string {
  const simulated = simulatePlacement(input);
  return simulated.ok ? "" : describeProblems(simulated.problems);
}

const codeOf = (input: unknown) => JSON.stringify(result(input).dropped.map((row) => Object.values(row)[2]));

const cpuScore = (cpu_avg30: number) =>
  JSON.stringify(result(withNode({ cpu_avg30 })).ranked.map((row) => Object.values(row)[5]));

describe("app/cli/simulation/placement", () => {
  it("answers in the words of REST v1", () => {
    const best = {
      host_id: 1,
      node: "pve1",
      storage: "tank",
      score: 0.68475,
      ram_score: 0.6875,
      cpu_score: 0.75,
      storage_score: 0.58,
      guest_count: 10,
      explanation:
        "score 0.685 = 0.500 × RAM 0.688 (45056 MiB of 65536 MiB free after) + 0.300 × CPU 0.750 (25 % busy over 30 minutes)" +
        " + 0.200 × storage 0.580 (tank: 580 GiB of 1000 GiB free after)",
    };
    assert.deepEqual(result(world), { best, ranked: [best], dropped: [] });
  });

  const drops: [when: string, input: unknown, code: string][] = [
    ["the agent is null", withNode({ agent: null }), "AGENT_MISSING"],
    ["the agent is missing", withNode({ agent: { ...agent, missing: true } }), "AGENT_MISSING"],
    ["the agent was silent for 181 s", withNode({ agent: { ...agent, last_seen_s: 181 } }), "AGENT_STALE"],
    ["the limit of silence is lower", { ...world, settings: { agent_stale_s: 4 } }, "AGENT_STALE"],
    ["the node is in maintenance", withNode({ maintenance: true }), "HOST_IN_MAINTENANCE"],
    [
      "the storage is not active",
      withNode({ storages: [{ ...pve1.storages[0], active: false }] }),
      "NO_STORAGE_OF_TYPE",
    ],
    ["the reseller has other nodes", { ...world, context: { reseller_nodes: [] } }, "NODE_NOT_ASSIGNED"],
  ];
  for (const [when, input, code] of drops) {
    it(`${when}: ${code}`, () => assert.equal(codeOf(input), JSON.stringify([code])));
  }

  it("keeps an agent that was silent for exactly 180 s", () => {
    assert.equal(codeOf(withNode({ agent: { ...agent, last_seen_s: 180 } })), "[]");
  });

  it("counts a CPU average beyond what can be as idle or busy", () => {
    assert.deepEqual([-0.5, 1.5].map(cpuScore), ["[1]", "[0]"]);
  });

  it("does not show what is out of scope", () => {
    assert.deepEqual(result({ ...world, context: { scope: [2] } }), { best: null, ranked: [], dropped: [] });
    assert.deepEqual(result({ ...world, context: { host_id: 2 } }), { best: null, ranked: [], dropped: [] });
  });

  const refusals: [input: unknown, message: string][] = [
    [null, "input must be an object"],
    [[], "input must be an object"],
    [{ ...world, settings: { weights: { ram: 0, cpu: 0, storage: 0 } } }, "settings.weights must not all be 0"],
    [{ ...world, settings: { weights: { ram: -1 } } }, "settings.weights.ram must be a number of at least 0"],
    [{ ...world, settings: { agent_stale_s: "long" } }, "settings.agent_stale_s must be a number of at least 0"],
    [{ ...world, hosts: [{ id: 0 }] }, "hosts[0].id must be an integer of at least 1"],
    [{ ...world, hosts: {} }, "hosts must be a list; nodes[0].host_id 1 is no host of the input"],
    [{ ...world, settings: { ram_threshold: 101 } }, "settings.ram_threshold must be a number from 0 to 100"],
    [{ ...world, hosts: undefined }, "hosts is required"],
    [{ ...world, nodes: undefined }, "nodes is required"],
    [withNode({ host_id: 9 }), "nodes[0].host_id 9 is no host of the input"],
    [withNode({ cores: 0 }), "nodes[0].cores must be an integer of at least 1"],
    [withNode({ online: "yes" }), "nodes[0].online must be true or false"],
    [withNode({ node: "" }), "nodes[0].node must be text"],
    [withNode({ agent: {} }), "nodes[0].agent.last_seen_s must be a number of at least 0"],
    [
      withNode({ storages: [{ ...pve1.storages[0], content: "images" }] }),
      "nodes[0].storages[0].content must be a list",
    ],
    [withNode({ storages: [{ ...pve1.storages[0], free_gb: -1 }] }), "nodes[0].storages[0].free_gb must be a number"],
    [{ ...world, nodes: [pve1, pve1] }, "nodes[1].node pve1 is given twice for host 1"],
    [{ ...world, request: { ...world.request, type: "vm" } }, "request.type must be qemu or lxc"],
    [{ ...world, request: { ...world.request, memory_mb: 0 } }, "request.memory_mb must be an integer of at least 1"],
    [{ ...world, context: { scope: ["1"] } }, "context.scope must be a list of host ids"],
  ];
  for (const [input, message] of refusals) {
    it(`refuses: ${message}`, () => assert.ok(refusal(input).startsWith(message), refusal(input)));
  }

  it("names every bad field of one input", () => {
    assert.equal(
      refusal({ ...withNode({ cores: 0, mem_used_mb: null }), request: null }),
      "nodes[0].cores must be an integer of at least 1; nodes[0].mem_used_mb must be a number of at least 0; " +
        "request.type must be qemu or lxc; request.memory_mb must be an integer of at least 1; " +
        "request.cores must be an integer of at least 1; request.disk_gb must be an integer of at least 1",
    );
  });
});
