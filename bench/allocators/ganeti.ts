// Writes a fleet and a wanted guest as ganeti's tools read them: its text format, and a request of its allocator protocol.
import { sumOf, WANTED, type FleetGuest, type FleetNode } from "./fleet.js";

const GROUP = "default";
const GROUP_ID = "group-1";
const MIB_A_GIB = 1_024;
/** Memory, cores, disk, number of disks, of network cards, spindles: the least and the most that a guest may have. */
const LEAST_GUEST = "128,1,1024,1,1,1";
const MOST_GUEST = "262144,64,4194304,16,8,12";
/** Disks on a shared storage: the only guests without a copy on a second node that hbal moves, and to any node. */
const SHARED_DISK = "ext";
/** Disks on the node itself: the node must have room for them. */
const LOCAL_DISK = "plain";
/** Virtual cores for one core, and guests for one spindle: more than the fleet has, so that neither rule excludes a node. */
const OVERCOMMIT = "8.0|64.0";

/**
 * The text format: sections for groups, nodes, guests, tags of the cluster and rules, an empty line between two; a line for
 * each, fields between bars. Memory and disks are in MiB. All nodes are one group: guests may go from each to each.
 */
export function ganetiFleet(fleet: readonly FleetNode[]): string {
  const guests = fleet.flatMap((node) => node.guests.map((guest) => guestLine(node, guest)));
  const sections = [[groupLine], fleet.map(nodeLine), guests, [], rulesLines];
  return sections.map((lines) => lines.map((line) => `${line}\n`).join("")).join("\n");
}

/** Name, id, how readily guests are put there, tags, networks. */
const groupLine = `${GROUP}|${GROUP_ID}|preferred||`;

/** Name; total memory, the node's own, free; total disk, free; cores; master or not; group; spindles. */
function nodeLine(node: FleetNode, index: number): string {
  const freeMemory = node.memoryMb - node.systemMemoryMb - sumOf(node, "memoryMb");
  const memory = [node.memoryMb, node.systemMemoryMb, freeMemory];
  const disk = [node.diskGb * MIB_A_GIB, (node.diskGb - sumOf(node, "diskGb")) * MIB_A_GIB];
  return [node.name, ...memory, ...disk, node.cores, index === 0 ? "M" : "N", GROUP_ID, 1].join("|");
}

/** Name, memory, disk, cores, status, whether it may be moved, node, second node, kind of disk, tags, spindles. */
const guestLine = ({ name }: FleetNode, guest: FleetGuest): string =>
  [
    guestName(guest),
    guest.memoryMb,
    guest.diskGb * MIB_A_GIB,
    guest.cores,
    "running",
    "Y",
    name,
    "",
    SHARED_DISK,
    "",
    1,
  ].join("|");

const guestName = ({ vmid }: FleetGuest): string => `guest${vmid}`;

/** For the cluster and for the group: whose, the usual guest, least and most, kinds of disk, overcommitment. */
const rulesLines = ["", GROUP].map((owner) =>
  [owner, LEAST_GUEST, `${LEAST_GUEST};${MOST_GUEST}`, `${SHARED_DISK},${LOCAL_DISK}`, OVERCOMMIT].join("|"),
);

/** The names of the guests on hot nodes, as hbal's `--select-instances` takes them. */
export const guestsOfHotNodes = (fleet: readonly FleetNode[]): string =>
  fleet
    .filter(({ hot }) => hot)
    .flatMap(({ guests }) => guests.map(guestName))
    .join(",");

/** The request for a place on one node, as JSON. The fleet is left out: it is given as text, which hail takes instead. */
export const ganetiRequest = (): string =>
  JSON.stringify({
    cluster_tags: [],
    enabled_hypervisors: ["kvm"],
    nodegroups: {},
    nodes: {},
    instances: {},
    request: {
      type: "allocate",
      name: "wanted",
      required_nodes: 1,
      memory: WANTED.memoryMb,
      vcpus: WANTED.cores,
      disk_template: LOCAL_DISK,
      disk_space_total: WANTED.diskGb * MIB_A_GIB,
      disks: [{ mode: "rw", size: WANTED.diskGb * MIB_A_GIB, spindles: 1 }],
      nics: [{ mac: "02:00:00:00:00:01", ip: null, bridge: null }],
      spindle_use: 1,
      hypervisor: "kvm",
      os: "none",
      tags: [],
    },
  });
