// Gathers, once and in parallel, everything that a move is planned and checked on.
import { planAddress, type IpPlan, type IpPlanning } from "../../core/addressing/ipPlan.js";
import { MigrationMode } from "../../core/enums.js";
import { planPortForwards, portKey, type PortForwardMove } from "../../core/forwarding/portPlan.js";
import { memoryMb } from "../../core/inventory/config.js";
import { guestDisks, type Disk } from "../../core/inventory/disk.js";
import { guestInterfaces } from "../../core/inventory/network.js";
import { isCopied, isCopiedAsItLies } from "../../core/migration/estimate.js";
import { cardMoves } from "../../core/migration/bridgeMtu.js";
import { guestTraits } from "../../core/migration/guestTraits.js";
import {
  bytesByTarget,
  fallbackBridge,
  fallbackStorage,
  mapSources,
  storageShortfalls,
  type MappingChoice,
  type TargetStorage,
} from "../../core/migration/mapping.js";
import { migrationMode } from "../../core/migration/mode.js";
import type { MoveEnd, MoveFacts, MoveTarget, Reachability, StoragePair } from "../../core/migration/moveFacts.js";
import { isTagRefusalPossible, missingPrivileges, rootPrivileges } from "../../core/migration/targetRights.js";
import type { PlanParts } from "../../core/migration/plan.js";
import { freeMemoryMb } from "../../core/placement/capacity.js";
import type { NodeState } from "../../core/placement/snapshot.js";
import type { NodeEndpoint } from "../../hypervisor/observed.js";
import { isPlatformError, PlatformReason } from "../../hypervisor/platformError.js";
import { endpointOf } from "./endpoint.js";
import type { MoveKnowledge } from "./moveKnowledge.js";
import type { MoveRecords, MovingGuest } from "./moveRecords.js";
import { observeSource, observeTarget, UNSEEN_TARGET, type SourceSight, type TargetSight } from "./observeMove.js";
import type { MoveJob, MoveWish } from "./wish.js";

/** All that is known of a move. */
export interface GatheredMove {
  readonly facts: MoveFacts;
  readonly parts: PlanParts;
  readonly guest: MovingGuest;
  readonly source: SourceSight;
  readonly records: MoveRecords;
  readonly endpoint: NodeEndpoint | null;
  /** What each target storage has to take. */
  readonly diskBytes: ReadonlyMap<string, number>;
}

/**
 * @param knowledge where it is learnt.
 * @param job the move's own job when it looks again; without one also the way to the target is tried.
 * @throws DroverError notFound (guest, host), validation, conflict `GUEST_GONE`, platform (the source does not answer)
 */
export async function gatherMove(knowledge: MoveKnowledge, wish: MoveWish, job: MoveJob | null): Promise<GatheredMove> {
  const guest = await knowledge.guest(wish.guestId);
  const hypervisor = await knowledge.hypervisor(guest.hostId);
  const [source, records] = await Promise.all([
    observeSource(hypervisor, guest),
    knowledge.records({ guest, node: guest.node, wish }),
  ]);
  const isElsewhere = source.guest.node !== guest.node;
  const known = isElsewhere ? await knowledge.records({ guest, node: source.guest.node, wish }) : records;
  return assemble(knowledge, { guest, source, records: known, wish, job });
}

interface Known {
  readonly guest: MovingGuest;
  readonly source: SourceSight;
  readonly records: MoveRecords;
  readonly wish: MoveWish;
  readonly job: MoveJob | null;
}

async function assemble(knowledge: MoveKnowledge, known: Known): Promise<GatheredMove> {
  const { guest, source, records, wish } = known;
  const [nodes, target, vmid, addressing] = await Promise.all([
    knowledge.nodes([guest.hostId, wish.targetHostId]),
    sightOfTarget(knowledge, known),
    chooseVmid(knowledge, known),
    planIp(knowledge, known),
  ]);
  const endpoint = target.endpoint && endpointOf(records.target, target.endpoint);
  const sourceNode = nodes.find(guest.hostId, source.guest.node);
  const targetNode = nodes.find(wish.targetHostId, wish.targetNode);
  const mode = migrationMode(guest.type, source.status);
  const disks = guestDisks(guest.type, source.config);
  const mapping = mapNames(known, { disks, targetNode, plan: addressing.plan });
  const lying = new Set(disks.filter((disk) => isCopiedAsItLies(disk, mode)).map(({ storage }) => storage));
  const diskBytes = bytesByTarget(mapping.storages, bytesByStorage(disks));
  const forwards = planForwards(records, wish);
  const facts: MoveFacts = {
    now: nodes.now,
    agentStaleSeconds: nodes.settings.agentStaleSeconds,
    type: guest.type,
    guest: guestTraits(guest.type, source.config, {
      safetyCopy: guest.safetyCopy,
      snapshots: source.snapshots,
      panelAddresses: records.panelAddresses,
      busyWith: records.busyWith ?? source.tasks[0] ?? null,
      haManaged: source.haManaged,
      replicated: source.replicated,
      pendingKeys: source.pendingKeys,
    }),
    status: source.status,
    mode,
    memoryMb: memoryMb(source.config),
    source: sourceEnd(known, sourceNode),
    target: { ...targetEnd(known, target, targetNode), address: endpoint?.host ?? null },
    reachability: await reach(knowledge, known, target.online ? endpoint : null),
    movingForwards: forwards.filter(({ dropped }) => !dropped).length,
    targetVmid: vmid.vmid,
    targetVmidTaken: vmid.taken,
    storages: mapping.storages,
    storagePairs: storagePairs(records, mapping.storages, lying),
    bridges: mapping.bridges,
    cards: cardMoves(source.config, mapping.bridges, { source: source.bridgeMtus, target: target.bridgeMtus }),
    shortfalls: storageShortfalls(diskBytes, mapping.rooms),
    ipProblem: addressing.problem,
  };
  const parts = {
    disks,
    ipPlan: addressing.plan,
    portForwards: forwards,
    earlierDurations: records.durations,
  };
  return { facts, parts, guest, source, records, endpoint, diskBytes };
}

async function sightOfTarget(knowledge: MoveKnowledge, { records, wish }: Known): Promise<TargetSight> {
  if (!records.target.active) return UNSEEN_TARGET;
  return observeTarget(await knowledge.hypervisor(wish.targetHostId), wish.targetNode);
}

/** A VMID that was asked for is taken or free; without one the guest keeps its own, or gets the next that is free. */
async function chooseVmid(
  knowledge: MoveKnowledge,
  { guest, wish: { targetVmid, targetHostId } }: Known,
): Promise<{ vmid: number; taken: boolean }> {
  const first = targetVmid ?? guest.vmid;
  if (!(await isTaken(knowledge, targetHostId, first))) return { vmid: first, taken: false };
  if (targetVmid !== null) return { vmid: first, taken: true };
  const vmid = await knowledge.nextVmid(targetHostId);
  // The platform may have a guest there that the inventory has not seen yet.
  return { vmid, taken: await isTaken(knowledge, targetHostId, vmid) };
}

async function isTaken(knowledge: MoveKnowledge, hostId: number, vmid: number): Promise<boolean> {
  if (await knowledge.vmidIsTaken(hostId, vmid)) return true;
  try {
    return !(await (await knowledge.hypervisor(hostId)).vmidIsFree(vmid));
  } catch (error) {
    // Another check says that the target is away.
    if (isPlatformError(error, PlatformReason.UNREACHABLE)) return false;
    throw error;
  }
}

/** A job has its address already. */
async function planIp(knowledge: MoveKnowledge, { guest, wish, job }: Known): Promise<IpPlanning> {
  if (job !== null) return { plan: job.ipPlan, problem: null };
  if (wish.addressing !== undefined) return wish.addressing;
  const question = { guestId: guest.id, toHostId: wish.targetHostId, zoneId: wish.ipZoneId };
  return (await knowledge.address(question)) ?? planAddress(null, []);
}

function planForwards({ forwards, takenPorts }: MoveRecords, { dropPortForwards }: MoveWish): PortForwardMove[] {
  const taken = new Set(takenPorts.map(({ protocol, port }) => portKey(protocol, port)));
  return planPortForwards(forwards, taken, dropPortForwards);
}

interface Names {
  readonly disks: readonly Disk[];
  readonly targetNode: NodeState | undefined;
  readonly plan: IpPlan;
}

function mapNames({ guest, source, records, wish }: Known, { disks, targetNode, plan }: Names) {
  const content = guest.type === "qemu" ? "images" : "rootdir";
  const rooms: TargetStorage[] = (targetNode?.storages ?? [])
    .filter((storage) => storage.active && storage.content.includes(content))
    .map(({ name, freeBytes, reservedBytes }) => ({ name, freeBytes: freeBytes - reservedBytes }));
  const used = disks.filter(isCopied).flatMap(({ storage }) => storage ?? []);
  const zoneBridge = records.targetZones.find(({ id }) => id === plan.zoneId)?.bridge ?? null;
  const bridges = guestInterfaces(source.config).flatMap(({ bridge }) => bridge ?? []);
  return {
    rooms,
    storages: mapSources(used, {
      options: rooms.map(({ name }) => name).toSorted((left, right) => left.localeCompare(right)),
      chosen: wish.storages,
      fallback: wish.unattended ? fallbackStorage(rooms) : null,
    }),
    bridges: mapSources(bridges, {
      options: records.targetBridges,
      chosen: wish.bridges,
      fallback: wish.unattended ? fallbackBridge(records.targetBridges, zoneBridge) : null,
    }),
  };
}

/** @param copied storages from which disks are copied as they lie. */
function storagePairs(
  records: MoveRecords,
  storages: readonly MappingChoice[],
  copied: ReadonlySet<string | null>,
): StoragePair[] {
  return storages.flatMap(({ source, target }) =>
    target === null
      ? []
      : [
          {
            source,
            sourceType: typeOf(records.sourceStorages, source),
            target,
            targetType: typeOf(records.targetStorages, target),
            copies: copied.has(source),
          },
        ],
  );
}

const typeOf = (known: MoveRecords["sourceStorages"], name: string): string =>
  known.find((storage) => storage.name === name)?.type ?? "unknown";

function bytesByStorage(disks: readonly Disk[]): Map<string, number> {
  const bytes = new Map<string, number>();
  for (const disk of disks.filter(isCopied)) {
    if (disk.storage !== null) bytes.set(disk.storage, (bytes.get(disk.storage) ?? 0) + (disk.bytes ?? 0));
  }
  return bytes;
}

const sourceEnd = ({ guest, source }: Known, node: NodeState | undefined): MoveEnd => ({
  hostId: guest.hostId,
  node: source.guest.node,
  version: source.version,
  agent: node?.agent ?? null,
  quorate: source.quorate,
});

const targetEnd = (
  { guest, source, records, wish }: Known,
  seen: TargetSight,
  node: NodeState | undefined,
): Omit<MoveTarget, "address"> => ({
  hostId: wish.targetHostId,
  node: wish.targetNode,
  version: seen.version ?? records.target.version,
  agent: node?.agent ?? null,
  quorate: seen.quorate,
  online: seen.online && (node?.online ?? false),
  maintenance: (node?.host.maintenance ?? false) || (node?.maintenance ?? false),
  natConfigured: records.target.natConfigured,
  freeMemoryMb: node === undefined ? 0 : freeMemoryMb(node),
  memoryMb: node?.memoryMb ?? 0,
  missingPrivileges: missingPrivileges(rootPrivileges(guest.type, source.config, seen.version), seen.privileges),
  mayRefuseTags: isTagRefusalPossible(source.config, seen.privileges),
});

/** A job tries the way in a step of its own. */
async function reach(
  knowledge: MoveKnowledge,
  { records, job }: Known,
  endpoint: NodeEndpoint | null,
): Promise<Reachability> {
  if (job !== null) return { reachable: true };
  if (endpoint === null) return { reachable: false, error: "its host does not answer" };
  return knowledge.reachability(records.sourceNodeId, endpoint);
}

/** @returns whether the mode would stop a guest that nobody expects to be stopped. */
export const stopsUnannounced = (planned: MigrationMode, now: MigrationMode): boolean =>
  planned !== now && now === MigrationMode.RESTART;
