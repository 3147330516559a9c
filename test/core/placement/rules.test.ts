// Checks every rule of placement, and the order in which they are asked.
import assert from "node:assert/strict";
import { whyDropped, whyNoSource } from "../../../src/core/placement/rules.js";
import type { NodeState } from "../../../src/core/placement/snapshot.js";
import { agent, context, host, node, NOW, request, storage } from "./example.js";
import { elsewhere, ruleCases } from "./ruleCases.js";

const broken: Partial<NodeState> = {
  host: host({ active: false, maintenance: true }),
  online: false,
  agent: null,
  inventoryAt: null,
  memoryUsedMb: 65_536,
  cores: 0,
  storages: [],
};

describe("core/placement/rules", () => {
  for (const [code, cases] of Object.entries(ruleCases)) {
    describe(code, () => {
      for (const { when, reason, ...change } of cases) {
        it(`${when}: ${reason ?? "eligible"}`, () => {
          const question = { request: request(change.request), context: context(change.context), now: NOW };
          const drop = whyDropped(node(change.node), question);
          assert.deepEqual(drop, reason === null ? null : { code, reason });
        });
      }
    });
  }

  it("asks in their order: the first rule that fails names the reason", () => {
    const question = { request: request(), context: context({ assignedNodes: elsewhere }), now: NOW };
    const repairs: [code: string, repair: Partial<NodeState>][] = [
      ["HOST_INACTIVE", { host: host({ maintenance: true }) }],
      ["NODE_OFFLINE", { online: true }],
      ["HOST_IN_MAINTENANCE", { host: host() }],
      ["AGENT_MISSING", { agent: agent({ lastSeenAt: 0, healthy: false, current: false }) }],
      ["AGENT_STALE", { agent: agent({ healthy: false, current: false }) }],
      ["AGENT_UNHEALTHY", { agent: agent({ current: false }) }],
      ["AGENT_OUTDATED", { agent: agent() }],
    ];
    let now = node(broken);
    for (const [code, repair] of repairs) {
      assert.equal(whyDropped(now, question)?.code, code);
      now = { ...now, ...repair };
    }
    assert.equal(whyDropped(now, question)?.code, "NODE_NOT_ASSIGNED");
    const wantedVmid = { vmid: 500, takenOn: new Set([1]) };
    const later = { ...question, context: context({ templateNodes: elsewhere, wantedVmid }) };
    for (const [code, repair] of [
      ["STALE_INVENTORY", { inventoryAt: NOW }],
      ["NOT_ENOUGH_MEMORY", { memoryUsedMb: 0 }],
      ["NOT_ENOUGH_CORES", { cores: 16 }],
      ["NO_STORAGE_OF_TYPE", { storages: [storage({ freeBytes: 0 })] }],
      ["NOT_ENOUGH_STORAGE", { storages: [storage()] }],
      ["TEMPLATE_NOT_AVAILABLE", {}],
    ] as const) {
      assert.equal(whyDropped(now, later)?.code, code);
      now = { ...now, ...repair };
    }
    const last = { ...question, context: context({ wantedVmid }) };
    assert.equal(whyDropped(now, last)?.code, "VMID_TAKEN");
  });

  it("trusts a caller that names the node about its agent and inventory, but not about its room", () => {
    const named = { request: request(), context: context({ hostId: 1, node: "pve1" }), now: NOW };
    assert.equal(whyDropped(node({ agent: null, inventoryAt: null }), named), null);
    assert.equal(whyDropped(node({ online: false }), named)?.code, "NODE_OFFLINE");
    assert.equal(whyDropped(node({ memoryUsedMb: 65_000 }), named)?.code, "NOT_ENOUGH_MEMORY");
  });

  it("lets guests leave a full node in maintenance whose inventory is old, but none without a current agent", () => {
    const question = { request: request(), context: context({ assignedNodes: elsewhere }), now: NOW };
    const full = { maintenance: true, inventoryAt: null, memoryUsedMb: 65_536, cores: 0, storages: [] };
    assert.equal(whyNoSource(node({ ...full, agent: agent({ healthy: false }) }), question), null);
    const changes: [code: string, change: Partial<NodeState>][] = [
      ["HOST_INACTIVE", { host: host({ active: false }) }],
      ["NODE_OFFLINE", { online: false }],
      ["NO_QUORUM", { host: host({ quorate: false }) }],
      ["AGENT_MISSING", { agent: null }],
      ["AGENT_STALE", { agent: agent({ lastSeenAt: 0 }) }],
      ["AGENT_OUTDATED", { agent: agent({ current: false }) }],
    ];
    for (const [code, change] of changes) assert.equal(whyNoSource(node(change), question)?.code, code);
  });
});
