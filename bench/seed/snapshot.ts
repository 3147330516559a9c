// Makes a snapshot of any number of nodes to place guests on, the same at every run, and guests on hot nodes to balance.
import type { MovableGuest } from "../../src/core/migration/movableGuest.js";
import { HOST_FACTS, NODE_FACTS, usual } from "../../src/core/placement/facts.js";
import type { HostState, NodeState, Snapshot } from "../../src/core/placement/snapshot.js";

const NODES_A_HOST = 20;
const GIB = 1024 ** 3;
const NOW = Date.UTC(2026, 0, 1);
const MEMORY_MB = 262_144;
const CORES = 64;

/** A number below `bound` for this number: scattered, and the same at every run. */
const scattered = (number: number, bound: number): number => (((number + 1) * 2_654_435_761) % 4_294_967_296) % bound;

/** Every tenth node cannot get a guest, every hundredth is hot. */
export function snapshotOf(nodes: number): Snapshot {
  const hosts = Array.from({ length: Math.ceil(nodes / NODES_A_HOST) }, (_, index): HostState => {
    return { id: index + 1, name: `host${index + 1}`, ...usual(HOST_FACTS) };
  });
  return {
    now: NOW,
    nodes: hosts.flatMap((host, index) =>
      Array.from({ length: Math.min(NODES_A_HOST, nodes - index * NODES_A_HOST) }, (_, place) =>
        nodeState(host, index * NODES_A_HOST + place),
      ),
    ),
  };
}

function nodeState(host: HostState, number: number): NodeState {
  const storage = (name: string, tebibytes: number) => ({
    name,
    shared: false,
    active: true,
    content: ["images", "rootdir"],
    totalBytes: tebibytes * 1024 * GIB,
    freeBytes: (20 + scattered(number, 70)) * tebibytes * 10 * GIB,
    reservedBytes: 0,
  });
  return {
    ...usual(NODE_FACTS),
    host,
    name: `pve${number}`,
    online: number % 10 !== 3,
    agent: { healthy: true, current: true, lastSeenAt: NOW - 5_000 },
    inventoryAt: NOW - 10_000,
    cores: CORES,
    cpuAverage: scattered(number, 60) / 100,
    memoryMb: MEMORY_MB,
    memoryUsedMb: isHot(number) ? MEMORY_MB * 0.9 : 65_536 + scattered(number, 100_000),
    memoryReservedMb: 0,
    guestCount: 20,
    storages: [storage("local-lvm", 4), storage("tank", 8)],
  };
}

const isHot = (number: number): boolean => number % 100 === 50;

/** Twenty running guests on each hot node. */
export const guestsToMove = ({ nodes }: Snapshot): MovableGuest[] =>
  nodes.flatMap((node, number) =>
    isHot(number) ? Array.from({ length: 20 }, (_, index) => movableGuest(node, number * 20 + index)) : [],
  );

const movableGuest = ({ host, name }: NodeState, number: number): MovableGuest => ({
  hostId: host.id,
  node: name,
  vmid: 100 + number,
  type: "qemu",
  running: true,
  cores: 4,
  memoryMb: 8_192,
  diskGb: 40,
  storage: null,
  memoryUsedMb: 6_144 + scattered(number, 2_000),
  coresUsed: 1,
  obstacle: null,
});
