// Asks one host for all that the inventory keeps, with as few calls and connections as the platform and its slowness allow.
import { NodeStatus } from "../core/enums.js";
import { DroverError } from "../errors/errors.js";
import type { Hypervisor } from "../hypervisor/hypervisor.js";
import type {
  ClusterMembership,
  HostVersion,
  Member,
  NodeHistorySample,
  NodeSoftware,
  ObservedNetwork,
  ObservedResources,
  ObservedStorage,
  StorageVolume,
  VmidRange,
} from "../hypervisor/observed.js";
import { isPlatformError, PlatformReason } from "../hypervisor/platformError.js";
import type { TaskStatus } from "../hypervisor/task.js";
import type { Logger } from "../observability/log.js";
import type { HostDetails } from "../store/host/record.js";
import { inGrowingParallel, type Growth } from "../concurrency/growingParallel.js";

/** To open a connection costs both sides as much as ten questions, and Node.js some 200 KB until it is closed. */
const QUESTIONS: Growth = { most: 8, everyMs: 500 };

/** What changes rarely and is asked for every few minutes. */
interface NodeDetails {
  readonly node: string;
  readonly version: HostVersion;
  /** Null: not asked for, or not told. */
  readonly software: NodeSoftware | null;
  readonly networks: readonly ObservedNetwork[];
  readonly files: readonly NodeFile[];
  /** Storages that did not tell their files: those that are known stay. */
  readonly unreadStorages: readonly string[];
}

interface NodeFile {
  readonly storage: string;
  readonly volid: string;
  readonly content: "vztmpl" | "iso";
  /** 0: the storage does not tell; no such file is empty. */
  readonly sizeBytes: number;
}

interface NodeHistory {
  readonly node: string;
  readonly samples: readonly NodeHistorySample[];
}

export interface Observation extends Identity {
  /** Asked for with the details of any node; null: not asked. */
  readonly version: HostVersion | null;
  /** Asked for with the details of any node; null: not asked. */
  readonly vmidRange: VmidRange | null;
  readonly resources: ObservedResources;
  readonly tasks: readonly TaskStatus[];
  readonly details: readonly NodeDetails[];
  readonly histories: readonly NodeHistory[];
}

/** Who the host is. */
export interface Identity {
  readonly cluster: ClusterMembership;
  /** Asked for with the details of any node; null: not asked. */
  readonly members: readonly Member[] | null;
}

/** Which nodes are due for what; a node that was never seen before is due for everything. */
export interface Due {
  /** Whether the members are due, whatever node is. */
  readonly members: boolean;
  readonly details: (node: string) => boolean;
  /** Of a node whose details are, as it now has this version. */
  readonly software: (node: string, version: string) => boolean;
  readonly history: (node: string) => boolean;
}

/** Whom to ask, and where to tell what part of it failed. */
interface Asking {
  readonly hypervisor: Hypervisor;
  readonly log: Logger;
}

/** @throws DroverError platform */
export async function identify({ hypervisor }: Pick<Asking, "hypervisor">, due: Due): Promise<Identity> {
  const cluster = await hypervisor.cluster();
  const isDue = due.members || cluster.nodes.some(({ name }) => due.details(name));
  return { cluster, members: isDue ? await hypervisor.members() : null };
}

/** @throws DroverError platform; a node that fails alone is logged and keeps what is known of it */
export async function observe({ hypervisor, log }: Asking, identity: Identity, due: Due): Promise<Observation> {
  const { cluster } = identity;
  // One after the other over one connection: to open one costs both sides more than all of these answers.
  const tasks = await recentTasks({ hypervisor, log });
  const resources = withAllMembers(await hypervisor.resources(), cluster);
  await requireSight(hypervisor, resources);
  if (resources.impossible.length > 0)
    log.warn(
      { figures: resources.impossible },
      "impossible figures in the overview of the host: they count as not known",
    );
  const online = resources.nodes.filter(({ status }) => status === NodeStatus.ONLINE).map(({ name }) => name);
  const isDue = online.some(due.details);
  const version = isDue ? await hypervisor.version() : null;
  const vmidRange = isDue ? await hypervisor.vmidRange() : null;
  const details = await perNode(
    online.filter(due.details),
    (node) => nodeDetails({ hypervisor, log }, node, { resources, due }),
    log,
  );
  const histories = await perNode(online.filter(due.history), (node) => nodeHistory(hypervisor, node), log);
  return { ...identity, version, vmidRange, resources, tasks, details, histories };
}

/** What was read of the host itself, as its record keeps it. */
export const hostDetails = ({ version, vmidRange }: Observation): HostDetails => ({
  version: version?.version ?? null,
  vmidLower: vmidRange?.lower ?? null,
  vmidUpper: vmidRange?.upper ?? null,
});

/** They only tell which guests were replaced: a host that does not list them is known all the same. */
async function recentTasks({ hypervisor, log }: Asking): Promise<readonly TaskStatus[]> {
  try {
    return await hypervisor.recentTasks();
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.FAILED, PlatformReason.UNINTELLIGIBLE)) throw error;
    log.warn({ err: error }, "the host's tasks could not be read");
    return [];
  }
}

/** The overview may omit a node that is away: only the cluster's report of it is known. */
function withAllMembers(resources: ObservedResources, cluster: ClusterMembership): ObservedResources {
  const named = new Set(resources.nodes.map(({ name }) => name));
  const others = cluster.nodes.filter(({ name, online }) => !online && !named.has(name));
  return { ...resources, nodes: [...resources.nodes, ...others.map(({ name }) => ({ name, ...AWAY }))] };
}

const AWAY = {
  status: NodeStatus.OFFLINE,
  uptimeSeconds: null,
  cpuCores: 0,
  memoryBytes: 0,
  load: null,
} as const;

/**
 * Lists are filtered by privilege: without this one every guest would seem to have vanished. Who sees one has it.
 * @throws DroverError platform `PLATFORM_FORBIDDEN`
 */
export async function requireSight(
  hypervisor: Pick<Hypervisor, "sight">,
  { guests }: ObservedResources,
): Promise<void> {
  if (guests.length > 0) return;
  const { missingForGuests } = await hypervisor.sight();
  if (missingForGuests === null) return;
  throw new DroverError("platform", `the connection's identity may not see guests (${missingForGuests} is missing)`, {
    reason: "PLATFORM_FORBIDDEN",
  });
}

async function perNode<Result>(
  nodes: readonly string[],
  ask: (node: string) => Promise<Result>,
  log: Logger,
): Promise<Result[]> {
  const results = await inGrowingParallel(nodes, QUESTIONS, async (node) => {
    try {
      return [await ask(node)];
    } catch (error) {
      if (!(error instanceof DroverError)) throw error;
      log.warn({ err: error, node }, "a node could not be read");
      return [];
    }
  });
  return results.flat();
}

async function nodeDetails(
  { hypervisor, log }: Asking,
  node: string,
  { resources, due }: { readonly resources: ObservedResources; readonly due: Due },
): Promise<NodeDetails> {
  const holding = resources.storages.filter((storage) => storage.node === node && storage.active);
  const version = await hypervisor.nodeVersion(node);
  const software = due.software(node, version.version) ? await nodeSoftware({ hypervisor, log }, node) : null;
  const networks = await hypervisor.networks(node);
  const files = await inGrowingParallel(holding, QUESTIONS, (storage) => storageFiles({ hypervisor, log }, storage));
  const unreadStorages = holding.filter((_, index) => files[index] === null).map(({ name }) => name);
  return { node, version, software, networks, files: onceEach(files), unreadStorages };
}

/** A file has its storage in its name: one that several storages have is nonsense, and only one of it is kept. */
function onceEach(files: readonly (readonly NodeFile[] | null)[]): NodeFile[] {
  const all = files.flatMap((found) => found ?? []);
  return [...new Map(all.map((file) => [file.volid, file])).values()];
}

/** @returns null when the node fails to tell: its package manager must not hide what else is known of it */
async function nodeSoftware({ hypervisor, log }: Asking, node: string): Promise<NodeSoftware | null> {
  try {
    return await hypervisor.software(node);
  } catch (error) {
    if (!(error instanceof DroverError)) throw error;
    log.warn({ err: error, node }, "the packages of a node could not be read");
    return null;
  }
}

/** @returns null when the storage does not answer: one that is away must not hide what else is known of the node */
async function storageFiles(
  { hypervisor, log }: Asking,
  { node, name, content: held }: ObservedStorage,
): Promise<NodeFile[] | null> {
  try {
    const wanted = (["vztmpl", "iso"] as const).filter((content) => held.includes(content));
    const files: NodeFile[] = [];
    for (const content of wanted)
      files.push(...nodeFiles(name, content, await hypervisor.volumes(node, name, content)));
    return files;
  } catch (error) {
    if (!(error instanceof DroverError)) throw error;
    log.warn({ err: error, node, storage: name }, "a storage could not be read");
    return null;
  }
}

const nodeFiles = (storage: string, content: NodeFile["content"], volumes: readonly StorageVolume[]): NodeFile[] =>
  volumes.map(({ volid, sizeBytes }) => ({ storage, volid, content, sizeBytes: sizeBytes ?? 0 }));

const nodeHistory = async (hypervisor: Hypervisor, node: string): Promise<NodeHistory> => ({
  node,
  samples: await hypervisor.nodeHistory(node),
});
