// The rules that a node must pass to get a new guest: the first that fails drops it, with a stable code and a reason.
import { isOlderTunnel } from "../inventory/tunnel.js";
import { GIB, gib, gibNeeded, mib, seconds } from "../units.js";
import { DISK_CONTENT, freeBytes, freeMemoryMb, requestedBytes, storageFor, takesDisks } from "./capacity.js";
import type { PlacementContext } from "./context.js";
import { hasNode } from "./nodeSet.js";
import type { NodeState, PlacementRequest } from "./snapshot.js";

/** What a rule judges a node by. */
export interface Question {
  readonly request: PlacementRequest;
  readonly context: PlacementContext;
  /** The moment of the decision, milliseconds since 1970. */
  readonly now: number;
}

/** A rule. @returns why the node cannot get the guest, with the numbers that decide; null when it can */
type Objection = (node: NodeState, question: Question) => string | null;

const hostInactive: Objection = ({ host }) => (host.active ? null : `host ${host.name} is switched off`);

const nodeOffline: Objection = ({ online }) => (online ? null : "the node is offline");

const hostInMaintenance: Objection = ({ host, maintenance }) => {
  if (host.maintenance) return `host ${host.name} is in maintenance`;
  return maintenance ? "the node is in maintenance" : null;
};

const noQuorum: Objection = ({ host }) =>
  host.quorate ? null : `the cluster of host ${host.name} has no quorum: nothing of it can be changed`;

const agentMissing: Objection = ({ agent }) =>
  (agent?.lastSeenAt ?? null) === null ? "no agent of the node has reported yet" : null;

const agentStale: Objection = ({ agent }, { context, now }) => {
  const silence = (now - (agent?.lastSeenAt ?? now)) / 1000;
  const limit = context.settings.agentStaleSeconds;
  return silence > limit
    ? `the agent was last seen ${seconds(silence)} ago, at most ${seconds(limit)} is current`
    : null;
};

const agentUnhealthy: Objection = ({ agent }) => (agent?.healthy ? null : "the agent reports problems of the node");

const agentOutdated: Objection = ({ agent }) =>
  agent?.current ? null : "the agent is older than the required version";

const nodeNotAssigned: Objection = ({ host, name }, { context: { assignedNodes } }) =>
  assignedNodes === null || hasNode(assignedNodes, host.id, name) ? null : "the node is not assigned to the reseller";

const staleInventory: Objection = ({ inventoryAt }, { context, now }) => {
  if (inventoryAt === null) return "the node's inventory was never read";
  const age = (now - inventoryAt) / 1000;
  const limit = context.settings.inventoryStaleSeconds;
  return age > limit ? `the inventory is ${seconds(age)} old, at most ${seconds(limit)} is current` : null;
};

const tunnelOlder: Objection = ({ tunnels }, { request: { type, tunnel = null } }) =>
  isOlderTunnel(tunnels?.[type] ?? null, tunnel) ? "its version is too old to receive the guest from its node" : null;

const architectureDiffers: Objection = ({ architecture = null }, { request, context }) => {
  const wanted = request.architecture ?? context.templateArchitecture;
  if (architecture === null || wanted === null || architecture === wanted) return null;
  return `the guest is made for ${wanted}, the node's processors are ${architecture}`;
};

const notEnoughMemory: Objection = (node, { request }) => {
  const { nodeMemoryMb = 0 } = request;
  if (!node.loadKnown && (request.memoryMb > 0 || node.memoryMb === 0))
    return "how much RAM it has free is not known: its host does not tell";
  if (nodeMemoryMb > node.memoryMb)
    return `needs ${mib(nodeMemoryMb)} of RAM to start, has ${mib(node.memoryMb)} in all`;
  const free = freeMemoryMb(node);
  if (request.memoryMb <= free) return null;
  return `needs ${mib(request.memoryMb)} of RAM, has ${mib(free)} free${besides(mib, node.memoryReservedMb)}`;
};

const notEnoughCores: Objection = ({ cores }, { request }) =>
  request.cores <= cores ? null : `needs ${request.cores} cores, has ${cores}`;

const noStorageOfType: Objection = (node, { request }) => {
  if (storageFor(node, request)) return null;
  const unknown = node.storages.filter((storage) => takesDisks(storage, request.type)).map(({ name }) => name);
  return unknown.length === 0
    ? `has no active storage with content ${DISK_CONTENT[request.type]}`
    : `how much room ${unknown.join(", ")} has is not known: its host does not tell`;
};

const notEnoughStorage: Objection = (node, { request }) => {
  const storage = storageFor(node, request);
  if (storage === null || requestedBytes(request) <= freeBytes(storage)) return null;
  const room = `${gib(freeBytes(storage))} free${besides(gib, storage.reservedBytes)}`;
  const kind = storage.name === request.storage ? "storage" : "roomiest storage";
  return `needs ${gibNeeded(requestedBytes(request))} of disk${furtherDisks(request)}, its ${kind} ${storage.name} has ${room}`;
};

/** The request names the system disk alone: without this, the figure looks like another's. */
const furtherDisks = ({ furtherDiskGb = 0 }: PlacementRequest): string =>
  furtherDiskGb > 0 ? ` (${gibNeeded(furtherDiskGb * GIB)} of it for the template's further disks)` : "";

const templateNotAvailable: Objection = ({ host, name }, { context: { templateNodes } }) =>
  templateNodes === null || hasNode(templateNodes, host.id, name)
    ? null
    : "the template is neither on the node nor on a storage shared with it";

const vmidTaken: Objection = ({ host }, { context: { wantedVmid } }) =>
  wantedVmid?.takenOn.has(host.id) ? `VMID ${wantedVmid.vmid} is taken on host ${host.name}` : null;

const besides = (format: (amount: number) => string, reserved: number): string =>
  reserved > 0 ? ` besides ${format(reserved)} reserved already` : "";

/** Every rule with its stable code, in the order in which they are applied. */
const RULES = [
  { code: "HOST_INACTIVE", objection: hostInactive },
  { code: "NODE_OFFLINE", objection: nodeOffline },
  { code: "HOST_IN_MAINTENANCE", objection: hostInMaintenance },
  { code: "NO_QUORUM", objection: noQuorum },
  { code: "AGENT_MISSING", objection: agentMissing, automaticOnly: true },
  { code: "AGENT_STALE", objection: agentStale, automaticOnly: true },
  { code: "AGENT_UNHEALTHY", objection: agentUnhealthy, automaticOnly: true },
  { code: "AGENT_OUTDATED", objection: agentOutdated, automaticOnly: true },
  { code: "NODE_NOT_ASSIGNED", objection: nodeNotAssigned },
  { code: "STALE_INVENTORY", objection: staleInventory, automaticOnly: true },
  { code: "TUNNEL_OLDER", objection: tunnelOlder },
  { code: "ARCHITECTURE_DIFFERS", objection: architectureDiffers },
  { code: "NOT_ENOUGH_MEMORY", objection: notEnoughMemory },
  { code: "NOT_ENOUGH_CORES", objection: notEnoughCores },
  { code: "NO_STORAGE_OF_TYPE", objection: noStorageOfType },
  { code: "NOT_ENOUGH_STORAGE", objection: notEnoughStorage },
  { code: "TEMPLATE_NOT_AVAILABLE", objection: templateNotAvailable },
  { code: "VMID_TAKEN", objection: vmidTaken },
] as const satisfies readonly Rule[];

/** One condition of eligibility. */
interface Rule {
  readonly code: string;
  readonly objection: Objection;
  /** Applied only when placement chooses the node; a caller who names a node takes responsibility for it. */
  readonly automaticOnly?: boolean;
}

/** Why a node was dropped, for programs. */
export type DropCode = (typeof RULES)[number]["code"];

/** Why a node was dropped, for programs and for people. */
export interface Drop {
  readonly code: DropCode;
  readonly reason: string;
}

const NAMED_NODE_RULES = RULES.filter((rule) => !("automaticOnly" in rule));

/** The rules for a node that guests leave: it must be up, changeable and have a current agent, but may be in maintenance. */
const SOURCE_CODES: readonly DropCode[] = [
  "HOST_INACTIVE",
  "NODE_OFFLINE",
  "NO_QUORUM",
  "AGENT_MISSING",
  "AGENT_STALE",
  "AGENT_OUTDATED",
];
const SOURCE_RULES = RULES.filter(({ code }) => SOURCE_CODES.includes(code));

/** @returns the first rule that the node fails, with its reason; null when the node is eligible. */
export const whyDropped = (node: NodeState, question: Question): Drop | null =>
  firstFailed(question.context.node === null ? RULES : NAMED_NODE_RULES, node, question);

/** @returns why guests cannot be moved away from the node; null when they can. */
export const whyNoSource = (node: NodeState, question: Question): Drop | null =>
  firstFailed(SOURCE_RULES, node, question);

function firstFailed(rules: readonly (typeof RULES)[number][], node: NodeState, question: Question): Drop | null {
  for (const { code, objection } of rules) {
    const reason = objection(node, question);
    if (reason !== null) return { code, reason };
  }
  return null;
}
