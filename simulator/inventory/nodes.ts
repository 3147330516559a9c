// Answers the node endpoints: list, state, cluster membership and certificates.
import { X509Certificate } from "node:crypto";
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { SimulatedNode } from "../state/node.js";
import { atLeast, releaseFacts } from "../version.js";
import { nodeCpu, nodeMemory } from "./load.js";
import { isQuorate } from "../state/quorum.js";

type Row = Record<string, unknown>;

/** A node's row; without Sys.Audit it has no figures, and neither has one that is down. */
export function nodeRow(call: Call, node: SimulatedNode): Row {
  const { state, clock, permissions } = call.platform;
  const identity: Row = { id: `node/${node.name}`, node: node.name, type: "node", level: "" };
  const status = node.online ? "online" : "offline";
  if (!permissions.has(call.identity.label, `/nodes/${node.name}`, ["Sys.Audit"])) return { ...identity, status };
  const limits = { maxcpu: node.cpus, maxmem: node.memoryBytes, maxdisk: node.rootBytes };
  if (!node.online) return { ...identity, status, ...limits };
  return {
    ...identity,
    status,
    ...limits,
    cpu: nodeCpu(state, node, clock.seconds()),
    mem: nodeMemory(state, node),
    disk: node.rootUsedBytes,
    uptime: uptime(call, node),
  };
}

function uptime(call: Call, node: SimulatedNode): number {
  return Math.floor((call.platform.clock.now() - node.bootedAtMs) / 1000);
}

/** `GET /nodes`. */
export function listNodes(call: Call): ApiAnswer {
  const nodes = [...call.platform.state.nodes.values()];
  return answer(nodes.map((node) => ({ ...nodeRow(call, node), ssl_fingerprint: node.fingerprint })));
}

/** Node of the path. @throws ApiError 500 when there is none of that name */
export function namedNode(call: Call): SimulatedNode {
  const node = call.platform.state.nodes.get(nodeOf(call));
  if (node === undefined) throw failure(`no such node '${nodeOf(call)}'`);
  return node;
}

/** `GET /nodes/{node}/status`. */
export function nodeStatus(call: Call): ApiAnswer {
  const { state, clock, release } = call.platform;
  const node = namedNode(call);
  const cpu = nodeCpu(state, node, clock.seconds());
  const used = nodeMemory(state, node);
  const free = node.memoryBytes - used;
  const facts = releaseFacts(release);
  const rootFree = node.rootBytes - node.rootUsedBytes;
  return answer({
    cpu,
    idle: 0,
    wait: cpu * 0.02,
    loadavg: [1, 0.9, 0.8].map((factor) => (cpu * node.cpus * factor).toFixed(2)),
    cpuinfo: processorInfo(node),
    memory: { total: node.memoryBytes, used, free, ...(atLeast(release, "9.2") ? { available: free } : {}) },
    swap: { total: 0, used: 0, free: 0 },
    rootfs: { total: node.rootBytes, used: node.rootUsedBytes, free: rootFree, avail: rootFree },
    ksm: { shared: 0 },
    uptime: uptime(call, node),
    pveversion: `pve-manager/${node.version}/${facts.repoid}`,
    kversion: `Linux ${facts.kernel} #1 SMP PREEMPT_DYNAMIC`,
    ...(atLeast(release, "8.4") ? bootInfo(node, facts.kernel) : {}),
  });
}

function processorInfo(node: SimulatedNode): Row {
  return {
    cpus: node.cpus,
    cores: Math.max(1, Math.ceil(node.cpus / 2)),
    sockets: 1,
    mhz: "2850.000",
    user_hz: 100,
    hvm: "1",
    ...node.processor,
    family: "25",
  };
}

function bootInfo({ architecture }: SimulatedNode, kernel: string): Row {
  const machine = architecture === "arm64" ? "aarch64" : "x86_64";
  return {
    "boot-info": { mode: "legacy-bios" },
    "current-kernel": { sysname: "Linux", release: kernel, version: "#1 SMP PREEMPT_DYNAMIC", machine },
  };
}

/** `GET /cluster/status`: the cluster, if there is one, and its members. */
export function clusterStatus(call: Call): ApiAnswer {
  const { state } = call.platform;
  const nodes = [...state.nodes.values()];
  const cluster = {
    type: "cluster",
    id: "cluster",
    name: state.clusterName,
    nodes: nodes.length,
    quorate: isQuorate(state) ? 1 : 0,
    version: nodes.length,
  };
  const members = nodes.map((node) => ({
    type: "node",
    id: `node/${node.name}`,
    name: node.name,
    ip: node.address,
    online: node.online ? 1 : 0,
    local: node.name === call.answeringNode ? 1 : 0,
    nodeid: node.nodeId,
    level: "",
  }));
  return answer(state.clusterName === null ? members : [cluster, ...members]);
}

/** `GET /nodes/{node}/certificates/info`. */
export function certificates(call: Call): ApiAnswer {
  const node = namedNode(call);
  if (node.certificate === "") return answer([{ filename: "pve-ssl.pem", fingerprint: node.fingerprint }]);
  const authority = node.authority === "" ? [] : [certificateRow("pve-root-ca.pem", node.authority)];
  return answer([...authority, certificateRow("pve-ssl.pem", node.certificate)]);
}

function certificateRow(filename: string, pem: string): Row {
  const certificate = new X509Certificate(pem);
  const key = certificate.publicKey;
  const names = certificate.subjectAltName?.split(", ") ?? [];
  return {
    filename,
    fingerprint: certificate.fingerprint256,
    subject: oneLineName(certificate.subject),
    issuer: oneLineName(certificate.issuer),
    notbefore: Math.floor(certificate.validFromDate.getTime() / 1000),
    notafter: Math.floor(certificate.validToDate.getTime() / 1000),
    pem,
    san: names.map((name) => name.replace(/^(?:DNS|IP Address):/, "")),
    "public-key-type": key.asymmetricKeyType === "rsa" ? "rsaEncryption" : "id-ecPublicKey",
    "public-key-bits": key.asymmetricKeyDetails?.modulusLength ?? 256,
  };
}

/** `CN=a\nO=b` → `/CN=a/O=b` */
function oneLineName(name: string): string {
  return name
    .split("\n")
    .map((part) => `/${part}`)
    .join("");
}
