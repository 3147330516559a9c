// Builds the state that a platform starts with, from a short description.
import { builtinRoles } from "./access/roles.js";
import type { AccessState } from "./state/access.js";
import { newUser, splitTokenId, superuser } from "./state/access.js";
import type { NetworkInterface, SimulatedNode } from "./state/node.js";
import { bridge } from "./state/node.js";
import type { PlatformState } from "./state/platform.js";
import type { StorageDefinition, Volume } from "./state/storage.js";
import type { Release } from "./version.js";
import { releaseFacts } from "./version.js";

const gib = 1024 ** 3;

/** A member to start with; everything but the name has a believable default. */
export interface NodeOptions {
  name: string;
  address?: string;
  cpus?: number;
  memoryBytes?: number;
  /** Share of the processors in use, 0..1; left out: follows the guests. */
  cpuLoad?: number;
  memoryUsedBytes?: number;
  rootBytes?: number;
  uptimeSeconds?: number;
  network?: NetworkInterface[];
  fingerprint?: string;
  certificate?: string;
  authority?: string;
}

/** A storage to start with. */
export type StorageOptions = Pick<StorageDefinition, "name" | "type"> & Partial<StorageDefinition>;

/** A token to start with. */
export interface TokenOptions {
  /** `root@pam!panel`. */
  id: string;
  secret: string;
  /** Default false: the token may do what its user may. */
  privilegeSeparated?: boolean;
}

/** What a platform is made from. */
export interface PlatformOptions {
  name: string;
  release: Release;
  /** Version of QEMU, such as `10.0.2`; left out: the release's own. */
  qemu?: string;
  /** Present: the nodes form a cluster of this name. */
  clusterName?: string;
  nodes: NodeOptions[];
  /** Left out: `local`, a directory for everything. */
  storages?: StorageOptions[];
  volumes?: Partial<Volume>[];
  tokens?: TokenOptions[];
  rootPassword?: string;
  timeFactor?: number;
  /** Speed of simulated copying. */
  bytesPerSecond?: number;
  /** Simulated time that a migration tunnel waits for its source, milliseconds. Left out: five minutes, as in life. */
  tunnelPatienceMs?: number;
  /** Simulated time that a stopped task has before it is killed, milliseconds. Left out: five seconds, as in life. */
  stopGraceMs?: number;
}

export function createState(options: PlatformOptions, nowMs: number): PlatformState {
  const clustered = options.clusterName !== undefined;
  const nodes = options.nodes.map((node, index) => createNode(node, { options, nowMs, id: clustered ? index + 1 : 0 }));
  const storages = (options.storages ?? [{ name: "local", type: "dir" as const }]).map(createStorage);
  return {
    clusterName: options.clusterName ?? null,
    nodes: new Map(nodes.map((node) => [node.name, node])),
    storages: new Map(storages.map((storage) => [storage.name, storage])),
    volumes: (options.volumes ?? []).map((volume) => createVolume(volume, nowMs)),
    guests: new Map(),
    backedUp: new Set(),
    backsUpAll: false,
    registeredTags: new Set(),
    nextId: null,
    backupJobs: new Map(),
    firewall: null,
    access: createAccess(options),
  };
}

function createNode(
  node: NodeOptions,
  context: { options: PlatformOptions; nowMs: number; id: number },
): SimulatedNode {
  return {
    name: node.name,
    nodeId: context.id,
    address: node.address ?? "127.0.0.1",
    online: true,
    cpus: node.cpus ?? 16,
    memoryBytes: node.memoryBytes ?? 64 * gib,
    rootBytes: node.rootBytes ?? 96 * gib,
    rootUsedBytes: 11 * gib,
    cpuLoad: node.cpuLoad ?? null,
    memoryUsedBytes: node.memoryUsedBytes ?? null,
    version: releaseFacts(context.options.release).version,
    packages: {},
    architecture: "amd64",
    bootedAtMs: context.nowMs - (node.uptimeSeconds ?? 4263) * 1000,
    fingerprint: node.fingerprint ?? Array.from({ length: 32 }, () => "00").join(":"),
    certificate: node.certificate ?? "",
    authority: node.authority ?? "",
    network: node.network ?? [bridge("vmbr0")],
    processor: {
      model: "AMD EPYC 7443P 24-Core Processor",
      vendor: "AuthenticAMD",
      flags:
        "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 ht syscall nx lm constant_tsc pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave avx f16c rdrand lahf_lm svm abm sse4a bmi1 avx2 smep bmi2 rdseed adx smap sha_ni vaes",
    },
  };
}

/** Fills in a storage's defaults: shared for network types, content by type. */
function createStorage(storage: StorageOptions): StorageDefinition {
  const isDirectory = storage.type === "dir" || storage.type === "nfs" || storage.type === "cifs";
  return {
    content: isDirectory ? ["images", "rootdir", "vztmpl", "iso", "backup", "snippets"] : ["images", "rootdir"],
    shared: storage.type === "nfs" || storage.type === "cifs" || storage.type === "rbd",
    enabled: true,
    nodes: null,
    path: storage.name === "local" ? "/var/lib/vz" : isDirectory ? `/mnt/pve/${storage.name}` : storage.name,
    totalBytes: 256 * gib,
    foreignBytes: 0,
    ...storage,
  };
}

function createVolume(volume: Partial<Volume>, nowMs: number): Volume {
  return {
    storage: "local",
    node: null,
    name: "",
    content: "images",
    format: "raw",
    size: 0,
    used: volume.size ?? 0,
    vmid: null,
    parent: null,
    ctime: Math.floor(nowMs / 1000),
    hasSystem: false,
    ...volume,
  };
}

function createAccess(options: PlatformOptions): AccessState {
  const root = newUser(superuser, options.rootPassword ?? null);
  const access: AccessState = {
    users: new Map([[superuser, root]]),
    groups: new Map(),
    groupComments: new Map(),
    roles: builtinRoles(options.release),
    rules: [],
    pools: new Map(),
  };
  for (const token of options.tokens ?? []) addToken(access, token);
  return access;
}

function addToken(access: AccessState, token: TokenOptions): void {
  const parts = splitTokenId(token.id);
  if (parts === null) throw new Error(`'${token.id}' is no token id such as root@pam!panel`);
  const user = access.users.get(parts.user) ?? newUser(parts.user, null);
  access.users.set(parts.user, user);
  user.tokens.set(parts.token, {
    secret: token.secret,
    privilegeSeparated: token.privilegeSeparated ?? false,
    expire: 0,
    comment: null,
  });
}
