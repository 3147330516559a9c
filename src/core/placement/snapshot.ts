// The state of all hosts that placement and balancing decide on: loaded once, then only read.
import type { GuestType } from "../enums.js";
import type { Tunnels } from "../inventory/tunnel.js";
import type { HOST_FACTS, NODE_FACTS, ValuesOf } from "./facts.js";

/** Everything known at one moment, from the inventory and its metrics: no live calls are made to decide. */
export interface Snapshot {
  /** The moment of the decision, milliseconds since 1970. */
  readonly now: number;
  readonly nodes: readonly NodeState[];
}

/** One connection: a standalone node or a cluster. Its nodes share this object. */
export interface HostState extends ValuesOf<typeof HOST_FACTS> {
  readonly id: number;
  readonly name: string;
}

export interface NodeState extends ValuesOf<typeof NODE_FACTS> {
  readonly host: HostState;
  readonly name: string;
  /** Null when no agent was ever set up for the node. */
  readonly agent: AgentState | null;
  /** When the inventory of the node was last read, milliseconds since 1970; null: never. */
  readonly inventoryAt: number | null;
  /** Reserved for queued jobs, on top of what is used. */
  readonly memoryReservedMb: number;
  readonly storages: readonly StorageState[];
  /** Which versions of the migration tunnel it speaks. Left out: not known. */
  readonly tunnels?: Tunnels;
  /** Of its processors, such as `amd64`. Null or left out: not known. */
  readonly architecture?: string | null;
}

export interface AgentState {
  readonly healthy: boolean;
  /** Whether its version is the required one or newer. */
  readonly current: boolean;
  /** Last heartbeat, milliseconds since 1970; null when it never came. */
  readonly lastSeenAt: number | null;
}

export interface StorageState {
  readonly name: string;
  /** Whether it is the same one on other nodes of the host that have a shared storage of this name. */
  readonly shared: boolean;
  readonly active: boolean;
  readonly content: readonly string[];
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** False: its host does not tell how large it is and what is free, and both figures mean nothing. Left out: it does. */
  readonly roomKnown?: boolean;
  /** Reserved for queued jobs, on top of what is used. */
  readonly reservedBytes: number;
}

/** The guest that a place is wanted for. */
export interface PlacementRequest {
  readonly type: GuestType;
  readonly memoryMb: number;
  readonly cores: number;
  /** Of all its disks. */
  readonly diskGb: number;
  /** What of it a template's disks besides the system disk take. Left out: nothing. */
  readonly furtherDiskGb?: number;
  /** RAM that the node must have in all, free or not: a stopped guest must be able to start one day. Left out: any. */
  readonly nodeMemoryMb?: number;
  /** The storage that the disk goes to on nodes that have one of this name for it. Left out: the roomiest of each. */
  readonly storage?: string;
  /** The version of the migration tunnel that the node which it leaves speaks. Null or left out: not known, or it is new. */
  readonly tunnel?: number | null;
  /** What processors it is built for, such as `amd64`. Null or left out: not known. */
  readonly architecture?: string | null;
}
