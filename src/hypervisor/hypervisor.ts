// The port to one Proxmox VE host, in the service's own words: what it can be asked and told, whatever speaks to it.
import type { GuestStatus, GuestType, MigrationMode, NodeStatus, PowerAction } from "../core/enums.js";
import type { PlatformReason } from "./platformError.js";

/** How a host is reached. Secrets are plain here and live in memory only. */
export interface HostConnection {
  readonly hostId: number;
  readonly hostname: string;
  readonly port: number;
  /** Login user with its realm, such as `root@pam`. */
  readonly user: string;
  readonly credential:
    | { readonly kind: "token"; readonly tokenId: string; readonly secret: string }
    | { readonly kind: "password"; readonly password: string };
  /** SHA-256 of the leaf certificate, `AA:BB:…`; undefined: a trusted authority must have signed it. */
  readonly tlsFingerprint: string | undefined;
}

/** Platform task id, `UPID:<node>:…:`. It names the node to ask. */
export type Upid = string;

/** One guest on one node of the host. */
export interface GuestAddress {
  readonly type: GuestType;
  readonly node: string;
  readonly vmid: number;
}

export interface HostVersion {
  /** Full version of the node that answered, such as `8.4.5` or `7.4-16`. */
  readonly version: string;
  readonly major: number;
  readonly minor: number;
}

export interface ClusterMembership {
  readonly kind: "standalone" | "cluster";
  /** Null for a standalone node. */
  readonly name: string | null;
  readonly quorate: boolean;
  readonly nodes: readonly { readonly name: string; readonly online: boolean; readonly local: boolean }[];
}

export interface ObservedNode {
  readonly name: string;
  readonly status: NodeStatus;
  /** Seconds; null while the node is away. */
  readonly uptimeSeconds: number | null;
  readonly cpuCores: number;
  /** Fraction 0..1 of the whole node. */
  readonly cpuUsage: number;
  readonly memoryBytes: number;
  readonly memoryUsedBytes: number;
}

export interface ObservedGuest {
  readonly type: GuestType;
  readonly vmid: number;
  readonly node: string;
  /** Null while the platform does not know it yet: a new guest has no name for some seconds. */
  readonly name: string | null;
  readonly status: GuestStatus;
  readonly template: boolean;
  readonly lock: string | null;
  readonly tags: readonly string[];
  readonly cores: number | null;
  readonly memoryBytes: number | null;
  readonly diskBytes: number | null;
  /** Fraction 0..1 of the guest's own cores. */
  readonly cpuUsage: number | null;
  readonly memoryUsedBytes: number | null;
  readonly uptimeSeconds: number | null;
  readonly highlyAvailable: boolean;
}

export interface ObservedStorage {
  readonly node: string;
  readonly name: string;
  readonly type: string;
  readonly content: readonly string[];
  readonly shared: boolean;
  readonly active: boolean;
  readonly totalBytes: number;
  readonly usedBytes: number;
}

/** What one call tells about the whole host: `/cluster/resources`. */
export interface ObservedResources {
  readonly nodes: readonly ObservedNode[];
  readonly guests: readonly ObservedGuest[];
  readonly storages: readonly ObservedStorage[];
}

export interface ObservedNetwork {
  readonly name: string;
  readonly type: string;
  readonly active: boolean;
  readonly cidr: string | null;
}

/** A file or volume on a storage. */
export interface StorageVolume {
  readonly volid: string;
  readonly content: string;
  readonly format: string | null;
  readonly sizeBytes: number;
  readonly vmid: number | null;
}

/** One minute of a node's history. */
export interface NodeHistorySample {
  readonly at: Date;
  readonly cpuUsage: number;
  readonly memoryUsedBytes: number;
}

/**
 * A guest's configuration as the platform keeps it: every value a string (booleans `1` and `0`, `sshkeys` decoded), `digest`
 * apart. Raw container lines are joined under `lxc` as `key: value`, a line each.
 */
export interface GuestConfig {
  readonly values: Readonly<Record<string, string>>;
  readonly digest: string;
}

export interface TaskStatus {
  readonly upid: Upid;
  readonly node: string;
  readonly type: string;
  readonly targetId: string | null;
  readonly user: string;
  readonly running: boolean;
  /** `OK`, `WARNINGS: n` or the error text; null while running. */
  readonly exitStatus: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export interface TaskOutcome extends TaskStatus {
  /** True for `OK` and `WARNINGS: n`. */
  readonly succeeded: boolean;
  /** What the error text in `exitStatus` means; null when the task succeeded. */
  readonly failure: PlatformReason | null;
}

export interface WaitOptions {
  /** Ends the waiting, not the task: rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds (an hour unless said) after which waiting fails with `PLATFORM_UNCERTAIN`; the task itself goes on. */
  readonly timeoutMs?: number;
}

export interface CloneRequest {
  readonly template: GuestAddress;
  /** Node of the new guest; another than the template's needs the template on shared storage. */
  readonly node: string;
  readonly vmid: number;
  readonly name: string;
  /** Full copy on this storage. */
  readonly storage: string;
  /** Note on the new guest; a job marks there what it makes, so that it can prove it after a crash. */
  readonly description: string;
}

export interface ContainerRequest {
  readonly node: string;
  readonly vmid: number;
  readonly hostname: string;
  /** Volume id of the template file, `local:vztmpl/…`. */
  readonly template: string;
  readonly storage: string;
  readonly diskGb: number;
  readonly cores: number;
  readonly memoryMb: number;
  /** Whole `net0` value; null: no network. */
  readonly network: string | null;
  readonly nameservers: readonly string[];
  readonly password: string | null;
  readonly sshKeys: readonly string[];
  readonly start: boolean;
  readonly onBoot: boolean;
  /** Note on the new container, as with a clone. */
  readonly description: string;
}

/**
 * Keys to write and keys to remove in one configuration change; none at all is no error. Values are plain: the driver encodes
 * (`sshkeys` is one key a line).
 */
export interface ConfigChange {
  readonly set?: Readonly<Record<string, string | number | boolean>>;
  readonly remove?: readonly string[];
  /** Refuses the change with `PLATFORM_CHANGED` when the configuration is no longer this one. */
  readonly digest?: string;
}

/** An API token of a user with its realm, such as `root@pam`. */
export interface TokenName {
  readonly user: string;
  readonly name: string;
}

export interface TokenRequest extends TokenName {
  readonly expiresAt: Date;
  /** Whether it has only what is granted to itself, out of what its user has. */
  readonly separated: boolean;
  readonly comment: string;
}

/** An access rule: a role on a path, and on everything below it if it propagates. */
export interface Grant {
  readonly path: string;
  readonly role: string;
  readonly propagate: boolean;
}

/** How another host's nodes reach a node. */
export interface NodeEndpoint {
  readonly host: string;
  readonly port: number;
  /** SHA-256 of the certificate that its API shows, `AA:BB:…`; null: it did not say. */
  readonly fingerprint: string | null;
}

/** The order to move a guest to a node of another host. The original stays. */
export interface RemoteMigration {
  readonly guest: GuestAddress;
  readonly mode: MigrationMode;
  /** Exactly the target node. */
  readonly endpoint: NodeEndpoint;
  /** Token of the target with which the source's node writes there. */
  readonly token: TokenName;
  readonly secret: string;
  /** Name on the target by name on the source. */
  readonly storages: readonly { readonly source: string; readonly target: string }[];
  readonly bridges: readonly { readonly source: string; readonly target: string }[];
  readonly targetVmid: number;
  /** MiB/s; null: as the platform is set. */
  readonly bandwidthMib: number | null;
}

/**
 * One Proxmox VE host. Every method rejects with a `DroverError` of kind `platform` (message: the platform's own words)
 * whose reason is a `PlatformReason`. It stays usable when the host's record changes: the next call uses the new one.
 */
export interface Hypervisor {
  version(): Promise<HostVersion>;
  nodeVersion(node: string): Promise<HostVersion>;
  cluster(): Promise<ClusterMembership>;
  resources(): Promise<ObservedResources>;
  /** Privileges of the connection's own identity: path → names. */
  permissions(): Promise<ReadonlyMap<string, ReadonlySet<string>>>;
  networks(node: string): Promise<readonly ObservedNetwork[]>;
  volumes(node: string, storage: string, content?: string): Promise<readonly StorageVolume[]>;
  /** The last hour, a sample a minute; minutes that the platform does not know are left out. */
  nodeHistory(node: string): Promise<readonly NodeHistorySample[]>;
  /** The newest tasks of every node, newest first. */
  recentTasks(): Promise<readonly TaskStatus[]>;
  activeTasks(node: string, vmid: number): Promise<readonly TaskStatus[]>;

  vmidIsFree(vmid: number): Promise<boolean>;
  /** Values in force (`current`, unless said); `pending` gives what would be after a restart. */
  guestConfig(guest: GuestAddress, view?: "current" | "pending"): Promise<GuestConfig>;
  guestStatus(guest: GuestAddress): Promise<{ readonly status: GuestStatus; readonly lock: string | null }>;

  clone(request: CloneRequest): Promise<Upid>;
  createContainer(request: ContainerRequest): Promise<Upid>;
  /** Null: it was done at once. */
  configure(guest: GuestAddress, change: ConfigChange): Promise<Upid | null>;
  /** Grows a disk to this size; the same size is no error. Null: it was done at once (7.x). */
  resize(guest: GuestAddress, disk: string, sizeBytes: number): Promise<Upid | null>;
  power(guest: GuestAddress, action: PowerAction): Promise<Upid>;
  /** Removes the guest with the volumes of its configuration; it must be stopped. The VMID is free when the task has ended. */
  destroy(guest: GuestAddress): Promise<Upid>;

  /** Names of the guest's snapshots. */
  snapshots(guest: GuestAddress): Promise<readonly string[]>;
  isReplicated(guest: GuestAddress): Promise<boolean>;
  isHighlyAvailable(guest: GuestAddress): Promise<boolean>;
  /** Address inside its cluster and certificate of a node; the port is the connection's. */
  endpoint(node: string): Promise<Omit<NodeEndpoint, "port">>;
  migrateRemotely(migration: RemoteMigration): Promise<Upid>;

  /** @returns the new token's secret */
  createToken(request: TokenRequest): Promise<string>;
  /** A token that is not there is no error. */
  deleteToken(token: TokenName): Promise<void>;
  tokens(user: string): Promise<readonly string[]>;
  grant(token: TokenName, rule: Grant): Promise<void>;
  /** A rule that is not there is no error. */
  revoke(token: TokenName, rule: Grant): Promise<void>;
  /** Makes the role, or gives it exactly these privileges. */
  ensureRole(role: string, privileges: readonly string[]): Promise<void>;

  /** All tasks of a guest that its node still knows, running ones included, newest first. */
  guestTasks(node: string, vmid: number): Promise<readonly TaskStatus[]>;
  task(upid: Upid): Promise<TaskStatus>;
  /** Lines of the log from `start` (0 = first). */
  taskLog(upid: Upid, start?: number): Promise<readonly string[]>;
  /** Follows the task to its end, through short outages of the host. */
  waitForTask(upid: Upid, options?: WaitOptions): Promise<TaskOutcome>;
  stopTask(upid: Upid): Promise<void>;
}

/** All connected hosts. */
export interface Hypervisors {
  /** The host, connected at first use. @throws DroverError notFound, or what the reader of host records throws */
  of(hostId: number): Promise<Hypervisor>;
  /** Connects without a record: to test a host before it is added. The caller closes it. */
  connect(connection: HostConnection): Hypervisor & { close(): Promise<void> };
  /** Forgets the connection of a record that changed or went, or of all; calls that run on it end first, in the background. */
  forget(hostId?: number): Promise<void>;
  close(): Promise<void>;
}
