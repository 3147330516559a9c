// Nodes, requests and contexts with nothing wrong about them, to be changed one way a test.
import { EVERY_NODE, type PlacementContext } from "../../../src/core/placement/context.js";
import { HOST_FACTS, NODE_FACTS, usual } from "../../../src/core/placement/facts.js";
import type {
  AgentState,
  HostState,
  NodeState,
  PlacementRequest,
  Snapshot,
  StorageState,
} from "../../../src/core/placement/snapshot.js";
import { GIB } from "../../../src/core/units.js";

export const NOW = 1_800_000_000_000;

export const host = (change: Partial<HostState> = {}): HostState => ({
  id: 1,
  name: "alpha",
  ...usual(HOST_FACTS),
  ...change,
});

export const agent = (change: Partial<AgentState> = {}): AgentState => ({
  healthy: true,
  current: true,
  lastSeenAt: NOW,
  ...change,
});

export const storage = (change: Partial<StorageState> = {}): StorageState => ({
  name: "local-lvm",
  shared: false,
  active: true,
  content: ["images", "rootdir"],
  totalBytes: 1000 * GIB,
  freeBytes: 600 * GIB,
  reservedBytes: 0,
  ...change,
});

export const node = (change: Partial<NodeState> = {}): NodeState => ({
  ...usual(NODE_FACTS),
  host: host(),
  name: "pve1",
  agent: agent(),
  inventoryAt: NOW,
  cores: 16,
  cpuAverage: 0.25,
  memoryMb: 65_536,
  memoryUsedMb: 16_384,
  memoryReservedMb: 0,
  guestCount: 10,
  storages: [storage()],
  ...change,
});

export const request = (change: Partial<PlacementRequest> = {}): PlacementRequest => ({
  type: "qemu",
  memoryMb: 4_096,
  cores: 2,
  diskGb: 20,
  ...change,
});

export const context = (change: Partial<PlacementContext> = {}): PlacementContext => ({ ...EVERY_NODE, ...change });

export const snapshot = (...nodes: NodeState[]): Snapshot => ({ now: NOW, nodes });
