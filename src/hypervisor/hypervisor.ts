// The port to one host, in the service's own terms: everything that it can be asked and ordered.
import type { PowerAction } from "../core/enums.js";
import type { BackupJob } from "../core/migration/attachments.js";
import type { Processor } from "../core/migration/hardware.js";
import type { Grant, SubjectGrant, TokenName, TokenRequest } from "./access.js";
import type { HostConnection } from "./connection.js";
import type { GuestFirewall, HostFirewall } from "./firewall.js";
import type { GuestAddress, GuestState, Removal, RemoteMigration } from "./guest.js";
import type { GuestConfig } from "./guestConfig.js";
import type { AddressChange, Hindrance, Installation, InstallImage, SetUp } from "./install.js";
import type {
  ClusterMembership,
  HostVersion,
  Member,
  NodeEndpoint,
  NodeHistorySample,
  NodeSoftware,
  ObservedNetwork,
  ObservedResources,
  StorageVolume,
  VmidRange,
} from "./observed.js";
import type { ArrivalPlace, ReceivingAuthority, Restricted, Sight, TokenLimits } from "./rights.js";
import type { TaskOutcome, TaskStatus, Upid, WaitOptions } from "./task.js";
import type { TransferQuestion, TransferWatch } from "./transfer.js";

/**
 * One host. Every method rejects with a `DroverError` of kind `platform` (message: the platform's own words)
 * whose reason is a `PlatformReason`; a change that a cluster's minority refuses, with `conflict` and `NO_QUORUM`. It stays usable when the host's record changes: the next call uses the new one.
 */
export interface Hypervisor {
  version(): Promise<HostVersion>;
  nodeVersion(node: string): Promise<HostVersion>;
  /** Takes the platform seconds. */
  software(node: string): Promise<NodeSoftware>;
  cluster(): Promise<ClusterMembership>;
  /** All nodes, those that are away included; none: the host does not tell. */
  members(): Promise<readonly Member[]>;
  resources(): Promise<ObservedResources>;
  /** What the connection's own identity sees. */
  sight(): Promise<Sight>;
  /** What the connection may do for a move to this host. */
  receivingAuthority(): Promise<ReceivingAuthority>;
  /** What of a guest the connection may not give to a new one in its place; null: nothing. */
  restricted(guest: GuestAddress, config: GuestConfig): Promise<Restricted | null>;
  networks(node: string): Promise<readonly ObservedNetwork[]>;
  /** Null: the node does not tell. */
  processor(node: string): Promise<Processor | null>;
  /** Machine types that the node's QEMU knows; none: it does not tell. */
  machineTypes(node: string): Promise<readonly string[]>;
  volumes(node: string, storage: string, content?: string): Promise<readonly StorageVolume[]>;
  /** Removes a volume, whoever it belongs to; one that is not there is no error. Null: it was done at once. */
  deleteVolume(node: string, volid: string): Promise<Upid | null>;
  /** The last hour, a sample a minute; minutes that the platform does not know are left out. */
  nodeHistory(node: string): Promise<readonly NodeHistorySample[]>;
  /** The newest tasks of every node, newest first. */
  recentTasks(): Promise<readonly TaskStatus[]>;
  activeTasks(node: string, vmid: number): Promise<readonly TaskStatus[]>;

  vmidIsFree(vmid: number): Promise<boolean>;
  /** As the host is configured; the platform's usual range when the host does not tell. */
  vmidRange(): Promise<VmidRange>;
  /** Whether access rules of this VMID alone keep the connection from making a guest there, as it may under others. */
  vmidIsBarred(vmid: number): Promise<boolean>;
  /** Values in force (`current`, unless said); `pending` gives what would be after a restart. */
  guestConfig(guest: GuestAddress, view?: "current" | "pending"): Promise<GuestConfig>;
  guestStatus(guest: GuestAddress): Promise<GuestState>;

  /** Makes the guest, stopped, with its note. */
  install(installation: Installation): Promise<Upid>;
  /** Whether the host still makes a guest from this image. */
  isInstalling(guest: GuestAddress, image: InstallImage): Promise<boolean>;
  /** What of its image would hide from a guest that was made what it is to be like; to be asked before it is set up. */
  hindrances(guest: GuestAddress, how: SetUp): Promise<readonly Hindrance[]>;
  /** Gives a guest that was made what it is to be like, and takes its note off. May be repeated. Null: it was done at once. */
  setUp(guest: GuestAddress, how: SetUp): Promise<Upid | null>;
  /** Grows the disk with the system; one that has the size, or is larger, stays. Null: nothing has to be waited for. */
  growSystemDisk(guest: GuestAddress, sizeBytes: number): Promise<Upid | null>;
  /** A machine has the address from its next start on. Null: it was done at once. */
  setAddress(guest: GuestAddress, change: AddressChange): Promise<Upid | null>;
  /** Marks a stopped guest as a copy: with these tags, unprotected, not started with its node. Refused when its configuration has changed. */
  markCopy(guest: GuestAddress, config: GuestConfig, tags: readonly string[]): Promise<Upid | null>;
  /** Makes a drive that holds this volume a cloud-init drive again; one that holds another stays. */
  recreateCloudInit(
    guest: GuestAddress,
    drive: { readonly key: string; readonly volume: string },
  ): Promise<Upid | null>;
  /** Lets the platform remove a protected guest. */
  unprotect(guest: GuestAddress): Promise<Upid | null>;
  power(guest: GuestAddress, action: PowerAction): Promise<Upid>;
  /** Removes the guest with the volumes of its configuration; it must be stopped. The VMID is free when the task has ended. */
  destroy(guest: GuestAddress, removal?: Removal): Promise<Upid>;

  /** Names of the guest's snapshots. */
  snapshots(guest: GuestAddress): Promise<readonly string[]>;
  /** Pool that the guest is in; null: none that the connection may see. */
  pool(guest: GuestAddress): Promise<string | null>;
  backupJobs(): Promise<readonly BackupJob[]>;
  /** Null: the host does not tell the connection. */
  hostFirewall(): Promise<HostFirewall | null>;
  isReplicated(guest: GuestAddress): Promise<boolean>;
  /** The guest's own firewall; one that says nothing when it has none. */
  guestFirewall(guest: GuestAddress): Promise<GuestFirewall>;
  /** Gives the guest exactly this firewall; what it has in its place goes. May be repeated. */
  writeGuestFirewall(guest: GuestAddress, firewall: GuestFirewall): Promise<void>;
  /** Access rules of the guest itself, as far as the connection may see them. */
  guestAccess(guest: GuestAddress): Promise<readonly SubjectGrant[]>;
  /** Writes an access rule; one that is there already stays. */
  grantAccess(rule: SubjectGrant): Promise<void>;
  isHighlyAvailable(guest: GuestAddress): Promise<boolean>;
  /** Address inside its cluster and certificate of a node; the port is the connection's. */
  endpoint(node: string): Promise<Omit<NodeEndpoint, "port">>;
  migrateRemotely(migration: RemoteMigration): Promise<Upid>;
  /** Watches a transfer that was ordered. */
  watchTransfer(upid: Upid, question: TransferQuestion): TransferWatch;

  /** @returns the new token's secret @throws also TokenRefused */
  createToken(request: TokenRequest): Promise<string>;
  /** A token that is not there is no error. */
  deleteToken(token: TokenName): Promise<void>;
  tokens(user: string): Promise<readonly string[]>;
  /** What a token for a move to this place is limited to, as this host alone answers. */
  planTokenLimits(place: ArrivalPlace, modifies: boolean): Promise<TokenLimits>;
  /** Gives a new token these rights, and nothing else. @throws also NotLimited */
  limitToken(token: TokenName, limits: TokenLimits): Promise<void>;
  /** A rule that is not there is no error. */
  revoke(token: TokenName, rule: Grant): Promise<void>;

  /** All tasks of a guest that its node still knows, running ones included, newest first. */
  guestTasks(node: string, vmid: number): Promise<readonly TaskStatus[]>;
  task(upid: Upid): Promise<TaskStatus>;
  /** Lines of the log from `start` (0 = first). */
  taskLog(upid: Upid, start?: number): Promise<readonly string[]>;
  /** Follows the task to its end, through short outages of the host, and through longer ones of its access control. */
  waitForTask(upid: Upid, options?: WaitOptions): Promise<TaskOutcome>;
  stopTask(upid: Upid): Promise<void>;
  /** The node that a task works on, by its id alone; null: it is no id of a task. */
  nodeOfTask(upid: Upid): string | null;
}

/** Receives the waits between attempts. */
export interface WaitObserver {
  /** Something did not come about, for this reason; it is tried again after the pause. */
  waits(reason: string, pauseMs: number): void;
  /** It came about, or is not tried any longer. */
  goesOn(): void;
}

/** All connected hosts. */
export interface Hypervisors {
  /** The host, connected at first use. @throws DroverError notFound, or what the reader of host records throws */
  of(hostId: number): Promise<Hypervisor>;
  /** The host for one request that somebody waits for: all its calls together end within that patience. @throws as `of` */
  prompt(hostId: number): Promise<Hypervisor>;
  /**
   * The host for a job: questions that stay without an answer, or are answered with a fault are asked again for a while, and so is
   * everything when the host lets nobody in.
   * @throws as `of`; its calls also the signal's reason
   */
  patient(hostId: number, signal: AbortSignal, observer?: WaitObserver): Promise<Hypervisor>;
  /**
   * The host for one look at many things: the same question is asked once, and answered alike.
   * @throws as `of`; DroverError platform `PLATFORM_UNREACHABLE` when it does not answer within some seconds
   */
  once(hostId: number): Promise<Hypervisor>;
  /** Connects without a record: to test a host before it is added. Its version comes first, which shows what it is. The caller closes it. */
  connect(connection: HostConnection): Hypervisor & { close(): Promise<void> };
  /** Forgets the connection of a record that changed or went, or of all; calls that run on it end first, in the background. */
  forget(hostId?: number): Promise<void>;
  close(): Promise<void>;
}
