// Makes a fleet of any number of nodes as Drover's simulations read it, the same at every run: the sum of its guests is its load.
import type { PlacementRequest } from "../../src/core/placement/snapshot.js";

const NODES_A_HOST = 5;
const MEMORY_MB = 262_144;
const SYSTEM_MEMORY_MB = 4_096;
const CORES = 64;
const DISK_GB = 4_096;
const GUEST = { cores: 4, memoryMb: 8_192, diskGb: 40 };
/** Guests of a hot node: 92 % of its memory. Others have 10 to 21: 33 to 68 %. */
const GUESTS_OF_HOT_NODE = 29;

/** The guest that a place is wanted for. */
export const WANTED: PlacementRequest = { type: "qemu", memoryMb: 4_096, cores: 2, diskGb: 40 };

/** A node and the guests on it, all alike. */
export interface FleetNode {
  readonly name: string;
  readonly hostId: number;
  readonly hot: boolean;
  readonly cores: number;
  readonly memoryMb: number;
  /** What the node itself needs of its memory. */
  readonly systemMemoryMb: number;
  readonly diskGb: number;
  readonly guests: readonly FleetGuest[];
}

/** A running guest that uses all of its memory and a quarter of its cores. */
export interface FleetGuest {
  readonly vmid: number;
  readonly cores: number;
  readonly memoryMb: number;
  readonly diskGb: number;
}

/** Every hundredth node is hot, the sixth is the first. */
export function fleetOf(nodes: number): FleetNode[] {
  let vmid = 100;
  return Array.from({ length: nodes }, (_, number) => {
    const hot = number % 100 === 5;
    const count = hot ? GUESTS_OF_HOT_NODE : 10 + scattered(number, 12);
    const guests = Array.from({ length: count }, () => ({ ...GUEST, vmid: vmid++ }));
    return {
      name: `pve${number}`,
      hostId: 1 + Math.floor(number / NODES_A_HOST),
      hot,
      cores: CORES,
      memoryMb: MEMORY_MB,
      systemMemoryMb: SYSTEM_MEMORY_MB,
      diskGb: DISK_GB,
      guests,
    };
  });
}

/** A number below `bound` for this number: scattered, and the same at every run. */
const scattered = (number: number, bound: number): number => (((number + 1) * 2_654_435_761) % 4_294_967_296) % bound;

/** What all guests of a node have of something together. */
export const sumOf = ({ guests }: FleetNode, field: "cores" | "memoryMb" | "diskGb"): number =>
  guests.reduce((sum, guest) => sum + guest[field], 0);

/** The input of `drover simulate placement` and `drover simulate balance`, as JSON. */
export const droverWorld = (fleet: readonly FleetNode[]): string =>
  JSON.stringify({
    hosts: [...new Set(fleet.map(({ hostId }) => hostId))].map((id) => ({ id, name: `host${id}` })),
    nodes: fleet.map(worldNode),
    guests: fleet.flatMap((node) => node.guests.map((guest) => worldGuest(node, guest))),
    request: { type: WANTED.type, memory_mb: WANTED.memoryMb, cores: WANTED.cores, disk_gb: WANTED.diskGb },
  });

const worldNode = (node: FleetNode): object => ({
  host_id: node.hostId,
  node: node.name,
  agent: { last_seen_s: 5 },
  cores: node.cores,
  cpu_avg30: sumOf(node, "cores") / 4 / node.cores,
  mem_total_mb: node.memoryMb,
  mem_used_mb: node.systemMemoryMb + sumOf(node, "memoryMb"),
  guest_count: node.guests.length,
  storages: [
    {
      name: "local-lvm",
      content: ["images"],
      total_gb: node.diskGb,
      free_gb: node.diskGb - sumOf(node, "diskGb"),
    },
  ],
});

const worldGuest = ({ hostId, name }: FleetNode, { vmid, cores, memoryMb, diskGb }: FleetGuest): object => ({
  host_id: hostId,
  node: name,
  vmid,
  type: "qemu",
  status: "running",
  cores,
  memory_mb: memoryMb,
  disk_gb: diskGb,
  mem_used_mb: memoryMb,
  cpu_use: cores / 4,
});
