// A host's report of itself: version, members, nodes, guests, storages and networks.
import type { LockCause } from "../core/inventory/lock.js";
import type { GuestStatus, GuestType, NodeStatus } from "../core/enums.js";

export interface HostVersion {
  /** Full version of the node that answered, such as `8.4.5` or `7.4-16`. */
  readonly version: string;
  readonly major: number;
  readonly minor: number;
}

/** What runs on a node beside the platform's own version; null: the node does not tell. */
export interface NodeSoftware {
  /** Installed version of the package that moves machines, such as `9.2.6`. */
  readonly qemuServer: string | null;
  /** Installed version of the package that moves containers, such as `6.1.10`. */
  readonly pveContainer: string | null;
  /** Of its processors: `amd64`, `arm64`. */
  readonly architecture: string | null;
}

export interface ClusterMembership {
  readonly kind: "standalone" | "cluster";
  /** Null for a standalone node. */
  readonly name: string | null;
  readonly quorate: boolean;
  readonly nodes: readonly { readonly name: string; readonly online: boolean; readonly local: boolean }[];
}

/** A node of a host, recognised whatever address the host is reached at. */
export interface Member {
  readonly name: string;
  /** SHA-256 of its certificate, `AA:BB:…`; null: the host does not tell. */
  readonly certificate: string | null;
}

/** From which VMIDs a host gives one to a new guest that names none; others can be asked for all the same. */
export interface VmidRange {
  readonly lower: number;
  /** Not a part of it. */
  readonly upper: number;
}

export interface ObservedNode {
  readonly name: string;
  readonly status: NodeStatus;
  /** Seconds; null while the node is away. */
  readonly uptimeSeconds: number | null;
  /** 0: its host does not tell. */
  readonly cpuCores: number;
  /** 0: its host does not tell. */
  readonly memoryBytes: number;
  /** Null: its host does not tell, because it is away, has just started, or may not be looked at. */
  readonly load: NodeLoad | null;
}

export interface NodeLoad {
  /** Fraction 0..1 of the whole node. */
  readonly cpuUsage: number;
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
  readonly lockCause: LockCause | null;
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
  /** Null: its host does not tell. */
  readonly room: StorageRoom | null;
}

interface StorageRoom {
  readonly totalBytes: number;
  readonly usedBytes: number;
}

/** The overview of the whole host in one call: `/cluster/resources`. */
export interface ObservedResources {
  readonly nodes: readonly ObservedNode[];
  readonly guests: readonly ObservedGuest[];
  readonly storages: readonly ObservedStorage[];
  /** Figures that no host can have, and that are not known therefore, such as `qemu/100: maxmem`; the first ones, if there are many. */
  readonly impossible: readonly string[];
}

export interface ObservedNetwork {
  readonly name: string;
  readonly type: string;
  readonly active: boolean;
  readonly cidr: string | null;
  /** Largest frame, bytes; null: the configuration states none. */
  readonly mtu: number | null;
  /** Whether a Linux bridge knows VLANs. */
  readonly vlanAware: boolean;
}

/** A file or volume on a storage. */
export interface StorageVolume {
  readonly volid: string;
  readonly content: string;
  readonly format: string | null;
  /** Null: this type of storage does not tell. */
  readonly sizeBytes: number | null;
  readonly vmid: number | null;
  /** Milliseconds since 1970; null: this type of storage does not tell. */
  readonly createdAt: number | null;
}

/** One minute of a node's history. */
export interface NodeHistorySample extends NodeLoad {
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** How another host's nodes reach a node. */
export interface NodeEndpoint {
  readonly host: string;
  readonly port: number;
  /** SHA-256 of the certificate that its API shows, `AA:BB:…`; null: it did not say. */
  readonly fingerprint: string | null;
}
