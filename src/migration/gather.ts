// Gathers, once and in parallel, everything that the plan and the checks of a move need.
import { planAddress, type IpPlanning } from "../core/addressing/ipPlan.js";
import { planPortForwards, portKey, type PortForwardMove } from "../core/forwarding/portPlan.js";
import { unsizedKeys } from "../core/inventory/disk.js";
import { cardMoves } from "../core/migration/bridgeMtu.js";
import { isCopied } from "../core/migration/estimate.js";
import type { GuestTraits } from "../core/migration/guestTraits.js";
import { hardwareFit } from "../core/migration/hardware.js";
import { migrationMode } from "../core/migration/mode.js";
import type { MoveEnd, MoveFacts, MoveTarget, Reachability } from "../core/migration/moveFacts.js";
import type { PlanParts } from "../core/migration/plan.js";
import { vlanCards } from "../core/migration/vlanCards.js";
import { freeMemoryMb } from "../core/placement/capacity.js";
import type { NodeState } from "../core/placement/snapshot.js";
import type { NodeEndpoint } from "../hypervisor/observed.js";
import { endpointOf } from "./endpoint.js";
import { mapNames } from "./mapNames.js";
import { chooseVmid, strangers, volumesOnTarget } from "./chooseVmid.js";
import { attachmentsOf } from "./attachments.js";
import type { MoveKnowledge } from "./moveKnowledge.js";
import type { KnownSoftware, MoveRecords, MovingGuest } from "./moveRecords.js";
import { rightsAtTarget } from "./rightsAtTarget.js";
import { observeSource, observeTarget, UNSEEN_TARGET, type SourceSight, type TargetSight } from "./observeMove.js";
import type { MoveJob, MoveRequest } from "./moveRequest.js";

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
 * @param knowledge where it is learnt
 * @param job the move's own job when it looks again; null: the way to the target is tried too
 * @throws DroverError notFound (guest, host), validation, conflict `GUEST_GONE` and `NO_FREE_VMID`, platform (the source does not answer)
 */
export async function gatherMove(
  knowledge: MoveKnowledge,
  request: MoveRequest,
  job: MoveJob | null,
): Promise<GatheredMove> {
  const guest = await knowledge.guest(request.guestId);
  const hypervisor = await knowledge.hypervisor(guest.hostId);
  const [source, records] = await Promise.all([
    observeSource(hypervisor, guest),
    knowledge.records({ guest, node: guest.node, request }),
  ]);
  const isElsewhere = source.guest.node !== guest.node;
  const known = isElsewhere ? await knowledge.records({ guest, node: source.guest.node, request }) : records;
  return assemble(knowledge, { guest, source, records: known, request, job });
}

interface MoveParts {
  readonly guest: MovingGuest;
  readonly source: SourceSight;
  readonly records: MoveRecords;
  readonly request: MoveRequest;
  readonly job: MoveJob | null;
}

async function assemble(knowledge: MoveKnowledge, known: MoveParts): Promise<GatheredMove> {
  const { guest, source, records, request, job } = known;
  const [nodes, target, addressing] = await Promise.all([
    knowledge.nodes([guest.hostId, request.targetHostId]),
    sightOfTarget(knowledge, known),
    planIp(knowledge, known),
  ]);
  const endpoint = target.endpoint && endpointOf(records.target, target.endpoint);
  const sourceNode = nodes.find(guest.hostId, source.guest.node);
  const targetNode = nodes.find(request.targetHostId, request.targetNode);
  const mode = migrationMode(guest.type, source.status);
  const { disks } = source;
  const names = mapNames({ guest, source, records, request, disks, mode, targetNode, ipPlan: addressing.plan });
  const volumes = target.online ? await volumesOnTarget(knowledge, request, names.storages) : null;
  const vmid = await chooseVmid(knowledge, { guest, request }, volumes ?? []);
  const forwards = planForwards(records, request);
  const facts: MoveFacts = {
    now: nodes.now,
    agentStaleSeconds: nodes.settings.agentStaleSeconds,
    type: guest.type,
    guest: traitsOf(known),
    status: source.status,
    mode,
    memoryMb: source.config.memoryMb,
    source: sourceEnd(known, sourceNode),
    target: {
      ...targetEnd(known, target, targetNode),
      address: endpoint?.host ?? null,
      rights: rightsAtTarget({
        guest,
        source,
        seen: target,
        records,
        byJob: job !== null,
        place: { node: request.targetNode, vmid: vmid.vmid },
        storages: names.storages,
        bridges: names.bridges,
      }),
    },
    reachability: await reach(knowledge, known, target.online ? endpoint : null),
    movingForwards: forwards.filter(({ dropped }) => !dropped).length,
    targetVmid: vmid.vmid,
    targetVmidTaken: vmid.taken,
    storages: names.storages,
    storagePairs: names.storagePairs,
    bridges: names.bridges,
    cards: cardMoves(source.config.cards, names.bridges, { source: source.bridgeMtus, target: target.bridgeMtus }),
    vlanCards: vlanCards(source.config.cards, names.bridges, { source: source.networks, target: target.networks }),
    stateStorage: source.config.stateStorage,
    missingStateStorage: missingStateStorage(source, records),
    shortfalls: names.shortfalls,
    volumesLeft: volumes && (await strangers(knowledge, request, { vmid: vmid.vmid, volumes })),
    ipProblem: addressing.problem,
    hardware: hardwareFit({
      type: guest.type,
      mode,
      hardware: source.config.hardware,
      runningMachine: source.machine,
      nodes: {
        source: source.processor,
        target: target.processor,
        targetCores: targetNode?.cores ?? null,
        targetMachines: target.machineTypes,
      },
    }),
    attachments: attachmentsOf(source.attachments, target.attachments, { vmid: vmid.vmid, node: request.targetNode }),
  };
  const parts = {
    disks,
    ipPlan: addressing.plan,
    portForwards: forwards,
    route: records.route,
    bandwidthMib: records.bandwidthMib,
  };
  return { facts, parts, guest, source, records, endpoint, diskBytes: names.diskBytes };
}

const traitsOf = ({ guest, source, records }: MoveParts): GuestTraits => ({
  ...source.config.traits,
  safetyCopy: guest.safetyCopy,
  snapshots: source.snapshots,
  panelAddresses: records.panelAddresses,
  busyWith: records.busyWith ?? source.tasks[0] ?? null,
  haManaged: source.haManaged,
  replicated: source.replicated,
  pendingKeys: source.pendingKeys,
  pendingDisks: source.pendingDisks,
  unsizedDisks: unsizedKeys(source.disks.filter(isCopied)),
});

async function sightOfTarget(knowledge: MoveKnowledge, { guest, records, request }: MoveParts): Promise<TargetSight> {
  if (!records.target.active) return UNSEEN_TARGET;
  return observeTarget(() => knowledge.hypervisor(request.targetHostId), {
    type: guest.type,
    node: request.targetNode,
  });
}

/** A job has its address already. */
async function planIp(knowledge: MoveKnowledge, { guest, request, job }: MoveParts): Promise<IpPlanning> {
  if (job !== null) return { plan: job.ipPlan, problem: null };
  if (request.addressing !== undefined) return request.addressing;
  const question = { guestId: guest.id, toHostId: request.targetHostId, zoneId: request.ipZoneId };
  return (await knowledge.address(question)) ?? planAddress(null, []);
}

function planForwards({ forwards, takenPorts }: MoveRecords, { dropPortForwards }: MoveRequest): PortForwardMove[] {
  const taken = new Set(takenPorts.map(({ protocol, port }) => portKey(protocol, port)));
  return planPortForwards(forwards, taken, dropPortForwards);
}

const sourceEnd = ({ guest, source, records }: MoveParts, node: NodeState | undefined): MoveEnd => ({
  hostId: guest.hostId,
  node: source.guest.node,
  ...softwareAt(source.version, records.sourceSoftware),
  agent: node?.agent ?? null,
  quorate: source.quorate,
});

const targetEnd = (
  { records, request }: MoveParts,
  seen: TargetSight,
  node: NodeState | undefined,
): Omit<MoveTarget, "address" | "rights"> => ({
  hostId: request.targetHostId,
  node: request.targetNode,
  ...softwareAt(seen.version, records.target),
  agent: node?.agent ?? null,
  quorate: seen.quorate,
  online: seen.online && (node?.online ?? false),
  maintenance: (node?.host.maintenance ?? false) || (node?.maintenance ?? false),
  natConfigured: records.target.natConfigured,
  freeMemoryMb: node?.loadKnown === true ? freeMemoryMb(node) : null,
  memoryMb: node?.memoryMb ?? 0,
});

/** @param version as the node has just told it; null: it did not. Packages that were read before an upgrade are not known. */
function softwareAt(version: string | null, known: KnownSoftware | null): KnownSoftware {
  const { qemuServer = null, pveContainer = null, architecture = null } = known ?? {};
  return version === null || version === known?.version
    ? { version: known?.version ?? null, qemuServer, pveContainer, architecture }
    : { version, qemuServer: null, pveContainer: null, architecture };
}

/** It is copied as it is, whatever the target's storages are called. */
function missingStateStorage({ config }: SourceSight, { targetStorages }: MoveRecords): string | null {
  const { stateStorage } = config;
  return targetStorages.some(({ name }) => name === stateStorage) ? null : stateStorage;
}

/** A job tries the way in a step of its own. */
async function reach(
  knowledge: MoveKnowledge,
  { records, job }: MoveParts,
  endpoint: NodeEndpoint | null,
): Promise<Reachability> {
  if (job !== null) return { reachable: true };
  if (endpoint === null) return { reachable: false, error: "its host does not tell where it is" };
  return knowledge.reachability(records.sourceNodeId, endpoint);
}
