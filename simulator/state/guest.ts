// Describes a guest: its configuration in force and pending, its snapshots, and what runs of it.

export type GuestType = "qemu" | "lxc";

/** Configuration keys and their values as text, the way the file holds them. */
export type ConfigValues = Record<string, string>;

/** A named former configuration. */
export interface Snapshot {
  config: ConfigValues;
  /** Seconds since the epoch. */
  snaptime: number;
  description: string;
  parent: string | null;
  /** `delete`: it was to be removed, and that failed in the middle. */
  snapstate: "delete" | null;
  /** Memory that was kept with it; null: the configuration and the disks alone. */
  memory: SnapshotMemory | null;
}

/** The memory of a VM at the time of its snapshot. */
export interface SnapshotMemory {
  /** Volume that holds it. */
  volume: string;
  /** What ran then. */
  runtime: Runtime;
}

/** What exists only while a guest runs. */
export interface Runtime {
  pid: number;
  startedAtMs: number;
  /** QEMU's own word; `postmigrate`: all of it has gone to another host. */
  qmpstatus: "running" | "paused" | "inmigrate" | "postmigrate" | "prelaunch";
  /** Configuration that the process was started with or has hot-plugged since. */
  cpu: number;
  memoryBytes: number;
  /** Machine type of a VM; null: the one that its configuration demands here. */
  machine: string | null;
  /** Counters that were set from outside, and when; they go on from there. Left out: counted since the start. */
  counters?: Counters & { atMs: number };
}

/** Bytes through a guest's cards and disks. */
export interface Counters {
  netin: number;
  netout: number;
  diskread: number;
  diskwrite: number;
}

/** One VM or container. */
export interface Guest {
  type: GuestType;
  vmid: number;
  node: string;
  config: ConfigValues;
  /** Values that wait for the next start. */
  pending: ConfigValues;
  /** Keys that the next start removes. */
  pendingDeletes: Set<string>;
  snapshots: Map<string, Snapshot>;
  /** Raw `lxc.` lines of a container, in file order. */
  rawLines: [string, string][];
  /** Null while it is stopped. */
  runtime: Runtime | null;
  /** Milliseconds since the epoch; the resource list learns of a guest only some seconds later. */
  createdAtMs: number;
  /** State that high availability reports, or null when it does not manage the guest. */
  hastate: string | null;
  /** Node of the cluster that a replication job copies its disks to; null: it has no such job. */
  replicatedTo: string | null;
  /** Text of its own firewall's file; null: it has none. */
  firewall: string | null;
}

/** A guest as it is right after its configuration file was made. */
export function newGuest(identity: Pick<Guest, "type" | "vmid" | "node" | "createdAtMs">, config: ConfigValues): Guest {
  return {
    ...identity,
    config,
    pending: {},
    pendingDeletes: new Set(),
    snapshots: new Map(),
    rawLines: [],
    runtime: null,
    hastate: null,
    replicatedTo: null,
    firewall: null,
  };
}

/** Place of a guest's configuration file below `/etc/pve`. */
export function configFile(type: GuestType, vmid: number, node: string): string {
  return `nodes/${node}/${type === "qemu" ? "qemu-server" : "lxc"}/${vmid}.conf`;
}

export function isTemplate(guest: Guest): boolean {
  return guest.config.template === "1";
}

/** What a backup archive holds of a guest. */
export interface Archive {
  type: GuestType;
  vmid: number;
  config: ConfigValues;
  rawLines: Guest["rawLines"];
  firewall: string | null;
  /** Disks that it holds, by their entry. */
  disks: { key: string; bytes: number; used: number; format: string; storage: string; hasSystem: boolean }[];
  /** Null: never set. */
  notes: string | null;
  protected: boolean | null;
}
