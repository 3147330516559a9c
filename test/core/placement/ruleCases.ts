// Every rule of placement at its limit and on both sides of it.
import type { PlacementContext } from "../../../src/core/placement/context.js";
import { nodeSet } from "../../../src/core/placement/nodeSet.js";
import type { DropCode } from "../../../src/core/placement/rules.js";
import type { NodeState, PlacementRequest } from "../../../src/core/placement/snapshot.js";
import { GIB } from "../../../src/core/units.js";
import { agent, host, NOW, storage } from "./example.js";

/** A node and a request with one thing about them. */
interface Case {
  readonly when: string;
  readonly node?: Partial<NodeState>;
  readonly request?: Partial<PlacementRequest>;
  readonly context?: Partial<PlacementContext>;
  /** Null: eligible. */
  readonly reason: string | null;
}

const here = nodeSet([{ hostId: 1, node: "pve1" }]);
export const elsewhere = nodeSet([
  { hostId: 1, node: "pve2" },
  { hostId: 2, node: "pve1" },
]);

export const ruleCases: Record<DropCode, Case[]> = {
  HOST_INACTIVE: [
    { when: "the host is active", reason: null },
    { when: "the host is not", node: { host: host({ active: false }) }, reason: "host alpha is switched off" },
  ],
  NODE_OFFLINE: [{ when: "the node is offline", node: { online: false }, reason: "the node is offline" }],
  HOST_IN_MAINTENANCE: [
    { when: "the host is", node: { host: host({ maintenance: true }) }, reason: "host alpha is in maintenance" },
    { when: "the node alone is", node: { maintenance: true }, reason: "the node is in maintenance" },
  ],
  NO_QUORUM: [
    {
      when: "the host is a cluster's minority",
      node: { host: host({ quorate: false }) },
      reason: "the cluster of host alpha has no quorum: nothing of it can be changed",
    },
  ],
  AGENT_MISSING: [
    { when: "there is none", node: { agent: null }, reason: "no agent of the node has reported yet" },
    {
      when: "it never reported",
      node: { agent: agent({ lastSeenAt: null }) },
      reason: "no agent of the node has reported yet",
    },
  ],
  AGENT_STALE: [
    { when: "seen 179 s ago", node: { agent: agent({ lastSeenAt: NOW - 179_000 }) }, reason: null },
    { when: "seen 180 s ago", node: { agent: agent({ lastSeenAt: NOW - 180_000 }) }, reason: null },
    {
      when: "seen a millisecond earlier",
      node: { agent: agent({ lastSeenAt: NOW - 180_001 }) },
      reason: "the agent was last seen 181 s ago, at most 180 s is current",
    },
    { when: "its clock is ahead", node: { agent: agent({ lastSeenAt: NOW + 60_000 }) }, reason: null },
  ],
  AGENT_UNHEALTHY: [
    {
      when: "it reports problems",
      node: { agent: agent({ healthy: false }) },
      reason: "the agent reports problems of the node",
    },
  ],
  AGENT_OUTDATED: [
    {
      when: "its version is too old",
      node: { agent: agent({ current: false }) },
      reason: "the agent is older than the required version",
    },
  ],
  NODE_NOT_ASSIGNED: [
    { when: "the node is assigned", context: { assignedNodes: here }, reason: null },
    {
      when: "others are",
      context: { assignedNodes: elsewhere },
      reason: "the node is not assigned to the reseller",
    },
    { when: "none is", context: { assignedNodes: nodeSet([]) }, reason: "the node is not assigned to the reseller" },
  ],
  STALE_INVENTORY: [
    { when: "it is 5 minutes old", node: { inventoryAt: NOW - 300_000 }, reason: null },
    {
      when: "it is a millisecond older",
      node: { inventoryAt: NOW - 300_001 },
      reason: "the inventory is 301 s old, at most 300 s is current",
    },
    { when: "there is none", node: { inventoryAt: null }, reason: "the node's inventory was never read" },
  ],
  TUNNEL_OLDER: [
    { when: "the tunnel is the same", node: { tunnels: { qemu: 3, lxc: 2 } }, request: { tunnel: 3 }, reason: null },
    { when: "it is newer", node: { tunnels: { qemu: 3, lxc: 2 } }, request: { tunnel: 2 }, reason: null },
    {
      when: "it is older",
      node: { tunnels: { qemu: 2, lxc: 3 } },
      request: { tunnel: 3 },
      reason: "its version is too old to receive the guest from its node",
    },
    {
      when: "it is older for containers",
      node: { tunnels: { qemu: 3, lxc: 2 } },
      request: { type: "lxc", tunnel: 3 },
      reason: "its version is too old to receive the guest from its node",
    },
    {
      when: "the node's is not known",
      node: { tunnels: { qemu: null, lxc: null } },
      request: { tunnel: 3 },
      reason: null,
    },
    {
      when: "the source's is not known",
      node: { tunnels: { qemu: 2, lxc: 2 } },
      request: { tunnel: null },
      reason: null,
    },
    { when: "the guest is new", node: { tunnels: { qemu: 2, lxc: 2 } }, reason: null },
  ],
  ARCHITECTURE_DIFFERS: [
    { when: "it is the same", node: { architecture: "arm64" }, request: { architecture: "arm64" }, reason: null },
    {
      when: "the guest comes from another",
      node: { architecture: "arm64" },
      request: { architecture: "amd64" },
      reason: "the guest is made for amd64, the node's processors are arm64",
    },
    {
      when: "its template is for another",
      node: { architecture: "amd64" },
      context: { templateArchitecture: "arm64" },
      reason: "the guest is made for arm64, the node's processors are amd64",
    },
    { when: "the node's is not known", node: { architecture: null }, request: { architecture: "arm64" }, reason: null },
    {
      when: "the guest's is not known",
      node: { architecture: "arm64" },
      request: { architecture: null },
      reason: null,
    },
  ],
  NOT_ENOUGH_MEMORY: [
    { when: "1 MiB less than free", request: { memoryMb: 49_151 }, reason: null },
    { when: "exactly what is free", request: { memoryMb: 49_152 }, reason: null },
    {
      when: "1 MiB more than free",
      request: { memoryMb: 49_153 },
      reason: "needs 49153 MiB of RAM, has 49152 MiB free",
    },
    {
      when: "exactly fits beside what was reserved",
      node: { memoryReservedMb: 45_056 },
      request: { memoryMb: 4_096 },
      reason: null,
    },
    {
      when: "1 MiB too much was reserved",
      node: { memoryReservedMb: 45_057 },
      request: { memoryMb: 4_096 },
      reason: "needs 4096 MiB of RAM, has 4095 MiB free besides 45057 MiB reserved already",
    },
    {
      when: "more was reserved than there is",
      node: { memoryUsedMb: 65_536, memoryReservedMb: 1 },
      reason: "needs 4096 MiB of RAM, has 0 MiB free besides 1 MiB reserved already",
    },
    {
      when: "its host does not tell what is in use",
      node: { memoryUsedMb: 0, loadKnown: false },
      request: { memoryMb: 1 },
      reason: "how much RAM it has free is not known: its host does not tell",
    },
    {
      when: "the guest needs none that is free, and its host does not tell what is in use",
      node: { memoryUsedMb: 0, loadKnown: false },
      request: { memoryMb: 0, nodeMemoryMb: 65_536 },
      reason: null,
    },
    {
      when: "its host tells nothing of its RAM",
      node: { memoryMb: 0, memoryUsedMb: 0, loadKnown: false },
      request: { memoryMb: 0, nodeMemoryMb: 1 },
      reason: "how much RAM it has free is not known: its host does not tell",
    },
  ],
  NOT_ENOUGH_CORES: [
    { when: "as many as the node has", request: { cores: 16 }, reason: null },
    { when: "one more", request: { cores: 17 }, reason: "needs 17 cores, has 16" },
  ],
  NO_STORAGE_OF_TYPE: [
    { when: "there is no storage", node: { storages: [] }, reason: "has no active storage with content images" },
    {
      when: "the host does not tell how much room it has",
      node: { storages: [storage({ totalBytes: 0, freeBytes: 0, roomKnown: false })] },
      reason: "how much room local-lvm has is not known: its host does not tell",
    },
    {
      when: "of another one the host tells how much room it has",
      node: { storages: [storage({ name: "a", freeBytes: 0, roomKnown: false }), storage({ name: "b" })] },
      reason: null,
    },
    {
      when: "it takes containers only",
      node: { storages: [storage({ content: ["rootdir"] })] },
      reason: "has no active storage with content images",
    },
    {
      when: "a container's takes machines only",
      node: { storages: [storage({ content: ["images"] })] },
      request: { type: "lxc" },
      reason: "has no active storage with content rootdir",
    },
    {
      when: "it is not active",
      node: { storages: [storage({ active: false })] },
      reason: "has no active storage with content images",
    },
  ],
  NOT_ENOUGH_STORAGE: [
    { when: "1 GiB less than free", request: { diskGb: 599 }, reason: null },
    { when: "exactly what is free", request: { diskGb: 600 }, reason: null },
    {
      when: "little more than free",
      request: { diskGb: 600.01 },
      reason: "needs 600.1 GiB of disk, its roomiest storage local-lvm has 600 GiB free",
    },
    {
      when: "1 GiB more than free",
      request: { diskGb: 601 },
      reason: "needs 601 GiB of disk, its roomiest storage local-lvm has 600 GiB free",
    },
    {
      when: "a template's further disks are part of what is needed",
      request: { diskGb: 601, furtherDiskGb: 50 },
      reason:
        "needs 601 GiB of disk (50 GiB of it for the template's further disks), its roomiest storage local-lvm has 600 GiB free",
    },
    { when: "they are part of what just fits", request: { diskGb: 600, furtherDiskGb: 50 }, reason: null },
    {
      when: "a byte too much was reserved",
      node: { storages: [storage({ reservedBytes: 580 * GIB + 1 })] },
      reason: "needs 20 GiB of disk, its roomiest storage local-lvm has 19.9 GiB free besides 580 GiB reserved already",
    },
    {
      when: "another storage has the room",
      node: { storages: [storage({ freeBytes: GIB }), storage({ name: "tank" })] },
      reason: null,
    },
  ],
  TEMPLATE_NOT_AVAILABLE: [
    { when: "the node can use it", context: { templateNodes: here }, reason: null },
    {
      when: "only others can",
      context: { templateNodes: elsewhere },
      reason: "the template is neither on the node nor on a storage shared with it",
    },
  ],
  VMID_TAKEN: [
    { when: "any does", context: { wantedVmid: null }, reason: null },
    { when: "it is taken elsewhere", context: { wantedVmid: { vmid: 500, takenOn: new Set([2]) } }, reason: null },
    {
      when: "it is taken on the host",
      context: { wantedVmid: { vmid: 500, takenOn: new Set([1, 2]) } },
      reason: "VMID 500 is taken on host alpha",
    },
  ],
};
