// Writes what was observed of a host's nodes: the nodes, their storages, networks, files and samples.
import type { PoolClient } from "pg";
import { NodeStatus } from "../core/enums.js";
import { MIB } from "../core/units.js";
import * as hostSync from "../store/hostSync.js";
import * as networks from "../store/network.js";
import * as nodes from "../store/node.js";
import * as nodeFiles from "../store/nodeFile.js";
import * as storages from "../store/storage.js";
import type { NodeHistorySample, ObservedNode, ObservedStorage } from "../hypervisor/observed.js";
import type { Observation } from "./observe.js";

interface SeenNodes {
  readonly hostId: number;
  readonly now: Date;
  readonly observation: Observation;
  /** Names of the nodes on record. */
  readonly known: readonly string[];
}

/** Nodes, storages and samples; details only of the nodes that were asked for them. */
export async function writeNodes(client: PoolClient, { hostId, now, observation, known }: SeenNodes): Promise<void> {
  const { resources, cluster, members, details } = observation;
  await nodes.record(client, { hostId, now, nodes: resources.nodes.map(nodeRecord) });
  // Both the cluster and its resources must lack a node that left.
  const present = new Set([...resources.nodes, ...cluster.nodes].map(({ name }) => name));
  if (known.some((name) => !present.has(name))) await hostSync.leaveNodes(client, hostId, [...present]);
  if (members !== null) await nodes.recordCertificates(client, hostId, members);
  await storages.record(client, {
    hostId,
    storages: resources.storages.map(storageRecord),
    samples: samples(observation, now),
  });
  if (details.length > 0) await writeDetails(client, { hostId, now, details });
}

type SeenDetails = Pick<SeenNodes, "hostId" | "now"> & Pick<Observation, "details">;

/** Versions, networks and files of the nodes that were asked for them. */
export async function writeDetails(client: PoolClient, { hostId, now, details }: SeenDetails): Promise<void> {
  const read = { hostId, nodes: details.map(({ node }) => node) };
  const observed = details.flatMap(({ node, networks: found }) => found.map((network) => ({ node, ...network })));
  await networks.record(client, { ...read, networks: observed });
  const files = details.flatMap(({ node, files: found }) => found.map((file) => ({ node, ...file })));
  const unread = details.flatMap(({ node, unreadStorages }) => unreadStorages.map((storage) => `${node}/${storage}`));
  await nodeFiles.record(client, { ...read, files, unread });
  const versions = details.map(({ node, version: { version }, software }) => ({
    node,
    version,
    softwareKnown: software !== null,
    ...(software ?? UNKNOWN_SOFTWARE),
  }));
  await nodes.recordDetails(client, { hostId, now, versions });
}

const UNKNOWN_SOFTWARE = { qemuServer: null, pveContainer: null, architecture: null };

const nodeRecord = ({ memoryBytes, load, ...node }: ObservedNode) => ({
  ...node,
  memoryMb: Math.floor(memoryBytes / MIB),
  cpuUsage: load?.cpuUsage ?? 0,
  memoryUsedMb: Math.ceil((load?.memoryUsedBytes ?? 0) / MIB),
  loadKnown: load !== null,
});

const storageRecord = ({ room, ...storage }: ObservedStorage) => ({
  ...storage,
  ...(room ?? { totalBytes: 0, usedBytes: 0 }),
  roomKnown: room !== null,
});

/** The platform's history, and the present minute as it was just seen: the history lags by one or two. */
function samples({ resources, histories }: Observation, now: Date) {
  const present = resources.nodes
    .filter(({ status }) => status === NodeStatus.ONLINE)
    .flatMap(({ name, load }) => (load === null ? [] : sampleOf(name, { at: now.getTime(), ...load })));
  const past = pastSamples(histories);
  const known = new Set(past.map(({ node, at }) => `${node} ${minute(at)}`));
  return [...past, ...present.filter(({ node, at }) => !known.has(`${node} ${minute(at)}`))];
}

/** The platform's history as samples. */
export const pastSamples = (histories: Observation["histories"]) =>
  histories.flatMap(({ node, samples: found }) => found.map((sample) => sampleOf(node, sample)));

const sampleOf = (node: string, { at, cpuUsage, memoryUsedBytes }: NodeHistorySample) => ({
  node,
  at: at / 1000,
  cpuUsage,
  memoryUsedMb: memoryUsedBytes / MIB,
});

const minute = (seconds: number): number => Math.floor(seconds / 60);
