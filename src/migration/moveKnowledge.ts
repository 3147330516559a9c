// Where the planning of moves gets its information: for one move at a time, or for many that share most of it.
import type { Services } from "../context/context.js";
import type { IpPlanning } from "../core/addressing/ipPlan.js";
import type { PlacementSettings, LoadedSnapshot } from "../core/placement/context.js";
import type { NodeState } from "../core/placement/snapshot.js";
import type { Reachability } from "../core/migration/moveFacts.js";
import { notFound, type DroverError } from "../errors/errors.js";
import type { Hypervisor } from "../hypervisor/hypervisor.js";
import type { NodeEndpoint, StorageVolume } from "../hypervisor/observed.js";
import { lowestFreeVmids, noFreeVmid } from "../reads/models/nextVmid.js";
import { planAddresses, type AddressQuestion } from "./addressPlans.js";
import { loadSnapshot } from "../placement/placementSnapshot.js";
import * as placedGuests from "../store/guest/placed.js";
import * as vmids from "../store/vmid.js";
import { isVmidTaken } from "../placement/takeVmid.js";
import {
  findMovingGuest,
  loadMoveRecords,
  type MoveQuestion,
  type MoveRecords,
  type MovingGuest,
} from "./moveRecords.js";
import { testReachability } from "./reachability.js";
import { ownLeftovers } from "./targetVolumes.js";
import type { MoveRequest } from "./moveRequest.js";

/** Nodes of one moment, by their names. */
interface KnownNodes {
  readonly now: number;
  readonly settings: PlacementSettings;
  find(hostId: number, name: string): NodeState | undefined;
}

/** What can be known of moves. Hosts are asked as ever; what the database and agents say may have been read before. */
export interface MoveKnowledge {
  /** @throws DroverError notFound */
  guest(guestId: number): Promise<MovingGuest>;
  /** @throws DroverError notFound, validation: as `loadMoveRecords` */
  records(question: MoveQuestion): Promise<MoveRecords>;
  /** At least those of these hosts. */
  nodes(hostIds: readonly number[]): Promise<KnownNodes>;
  /** Whether a guest or a job of the service has it; the platform is asked apart. */
  vmidIsTaken(hostId: number, vmid: number): Promise<boolean>;
  /** The lowest ones that no guest or job of the service has, but for these; none: the host's range is used up. */
  freeVmids(hostId: number, except: readonly number[]): Promise<readonly number[]>;
  /** The refusal of a move to a host whose range is used up. */
  noFreeVmid(hostId: number): Promise<DroverError>;
  /** Which volumes on the target earlier transfers to this VMID left there. */
  ownLeftovers(hostId: number, vmid: number, volumes: readonly StorageVolume[]): Promise<readonly StorageVolume[]>;
  /** What becomes of a guest's address, planned for itself alone; undefined: it has none. */
  address(question: AddressQuestion): Promise<IpPlanning | undefined>;
  /** @throws DroverError notFound, conflict `HOST_INACTIVE` */
  hypervisor(hostId: number): Promise<Hypervisor>;
  /** Whether a node reaches an API port, tried by its agent. */
  reachability(nodeId: number, endpoint: NodeEndpoint): Promise<Reachability>;
}

/** What planning needs of the service. */
export type PlanningServices = Pick<Services, "pool" | "events" | "clock" | "hypervisors">;

/** A host is asked about each of them that it turns out to have. */
const FREE_VMIDS = 16;

/** @param jobId the move's own job when it looks again: what it holds itself does not count. */
export const knowledgeOfOne = (services: PlanningServices, jobId: number | null): MoveKnowledge => ({
  guest: (guestId) => findMovingGuest(services.pool, guestId),
  records: async (question) => (await loadMoveRecords(services.pool, [question], jobId))(question),
  nodes: async (scope) =>
    knownNodes(
      await loadSnapshot(services.pool, services.clock, { scope, ...(jobId !== null && { exceptJobId: jobId }) }),
    ),
  vmidIsTaken: (hostId, vmid) => isVmidTaken(services.pool, hostId, { vmid, exceptJobId: jobId }),
  freeVmids: (hostId, except) => lowestFreeVmids(services.pool, hostId, { count: FREE_VMIDS, except }),
  noFreeVmid: (hostId) => noFreeVmid(services.pool, hostId),
  ownLeftovers: (hostId, vmid, volumes) => ownLeftovers(services.pool, { hostId, vmid }, volumes),
  address: async (question) => (await planAddresses(services.pool, [question])).get(question.guestId),
  hypervisor: (hostId) => services.hypervisors.of(hostId),
  reachability: (nodeId, endpoint) => testReachability(services, nodeId, endpoint),
});

/**
 * Reads what the database knows of all moves at once, and asks what they have in common once: the number of statements does not
 * depend on the number of guests, and a host is asked for nothing but what is a guest's own.
 * @param loaded nodes of all hosts that take part
 */
export async function knowledgeOfMany(
  services: PlanningServices,
  requests: readonly MoveRequest[],
  loaded: LoadedSnapshot,
): Promise<MoveKnowledge> {
  const one = knowledgeOfOne(services, null);
  const reads = services.pool;
  const found = await placedGuests.moving(reads, [...new Set(requests.map(({ guestId }) => guestId))]);
  const guests = new Map(found.map((guest) => [guest.id, guest]));
  const moves = requests.flatMap((request) => {
    const guest = guests.get(request.guestId);
    return guest === undefined ? [] : [{ guest, node: guest.node, request }];
  });
  const [recordsOf, taken] = await Promise.all([
    loadMoveRecords(reads, moves, null),
    vmids.taken(
      reads,
      moves.map(({ guest, request }) => ({ hostId: request.targetHostId, vmid: request.targetVmid ?? guest.vmid })),
    ),
  ]);
  const takenVmids = new Set(taken.map(({ hostId, vmid }) => `${hostId}/${vmid}`));
  const nodes = knownNodes(loaded);
  return {
    guest(guestId) {
      const guest = guests.get(guestId);
      return guest === undefined ? Promise.reject(notFound(`Guest ${guestId}`)) : Promise.resolve(guest);
    },
    // One that is elsewhere on its host by now goes another way than was asked about.
    records: async (question) =>
      question.node === guests.get(question.guest.id)?.node ? recordsOf(question) : one.records(question),
    nodes: () => Promise.resolve(nodes),
    vmidIsTaken: (hostId, vmid) => Promise.resolve(takenVmids.has(`${hostId}/${vmid}`)),
    freeVmids: once(
      (hostId, except) => one.freeVmids(hostId, except),
      (hostId, except) => `${hostId} ${except.join()}`,
    ),
    noFreeVmid: (hostId) => one.noFreeVmid(hostId),
    ownLeftovers: (hostId, vmid, volumes) => one.ownLeftovers(hostId, vmid, volumes),
    address: (question) => one.address(question),
    hypervisor: once((hostId) => services.hypervisors.once(hostId), String),
    reachability: once(
      (nodeId, endpoint) => one.reachability(nodeId, endpoint),
      (nodeId, { host, port }) => `${nodeId} ${host} ${port}`,
    ),
  };
}

function knownNodes({ snapshot, settings }: LoadedSnapshot): KnownNodes {
  const byName = new Map(snapshot.nodes.map((node) => [`${node.host.id}/${node.name}`, node]));
  return { now: snapshot.now, settings, find: (hostId, name) => byName.get(`${hostId}/${name}`) };
}

/** Has work done once for all who ask for the same. */
function once<Asked extends readonly unknown[], Result>(
  work: (...asked: Asked) => Promise<Result>,
  keyOf: (...asked: Asked) => string,
): (...asked: Asked) => Promise<Result> {
  const known = new Map<string, Promise<Result>>();
  return (...asked) => {
    const key = keyOf(...asked);
    const result = known.get(key) ?? work(...asked);
    known.set(key, result);
    return result;
  };
}
