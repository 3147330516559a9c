// Asks both hosts for what must be known before a guest moves.
import { GuestType, type GuestStatus } from "../core/enums.js";
import type { Disk } from "../core/inventory/disk.js";
import type { BridgeMtus } from "../core/migration/bridgeMtu.js";
import { isCopied } from "../core/migration/estimate.js";
import type { Processor } from "../core/migration/hardware.js";
import { DroverError } from "../errors/errors.js";
import type { GuestAddress } from "../hypervisor/guest.js";
import type { GuestConfig } from "../hypervisor/guestConfig.js";
import type { Hypervisor } from "../hypervisor/hypervisor.js";
import type { ObservedNetwork } from "../hypervisor/observed.js";
import { isPlatformError, PlatformReason } from "../hypervisor/platformError.js";
import { sizesOf, withSizes } from "../hypervisor/volumeSizes.js";
import type { ReceivingAuthority } from "../hypervisor/rights.js";
import { locateGuest } from "../host/locateGuest.js";
import { hasQuorum } from "../host/quorum.js";
import { isSameGuest, type RecordedGuest } from "../host/sameGuest.js";
import { guestAttachments, hostAttachments, type GuestAttachments, type HostAttachments } from "./attachments.js";

/** The guest as its host has it. */
export interface SourceSight {
  readonly guest: GuestAddress;
  readonly config: GuestConfig;
  /** Keys whose change waits for a restart: a move drops it. */
  readonly pendingKeys: readonly string[];
  readonly disks: readonly Disk[];
  /** Keys of disks that are attached at the next restart only. */
  readonly pendingDisks: readonly string[];
  readonly status: GuestStatus;
  readonly snapshots: readonly string[];
  /** Types of the platform's tasks that work on it. */
  readonly tasks: readonly string[];
  readonly replicated: boolean;
  readonly haManaged: boolean;
  readonly version: string;
  readonly bridgeMtus: BridgeMtus;
  readonly quorate: boolean;
  readonly networks: readonly ObservedNetwork[];
  readonly attachments: GuestAttachments;
  /** Null: not known, or the guest is no machine. */
  readonly processor: Processor | null;
  /** Machine type of a machine that runs; null: not known. */
  readonly machine: string | null;
}

/** @throws DroverError platform; conflict `GUEST_GONE` when the host no longer has the guest, or another one under its VMID */
export async function observeSource(hypervisor: Hypervisor, known: GuestAddress & RecordedGuest): Promise<SourceSight> {
  const located = await locateGuest(hypervisor, known);
  if (located === null) throw gone(`the host has no guest ${known.vmid} any longer`);
  if (!(await isSameGuest(hypervisor, known, located.config))) {
    throw gone(`the host has another guest under the VMID ${known.vmid} by now`);
  }
  const { guest } = located;
  const [
    pending,
    { status, machine },
    snapshots,
    tasks,
    replicated,
    haManaged,
    { version },
    networks,
    quorate,
    disks,
    attachments,
    processor,
  ] = await Promise.all([
    hypervisor.guestConfig(guest, "pending"),
    hypervisor.guestStatus(guest),
    hypervisor.snapshots(guest),
    hypervisor.activeTasks(guest.node, guest.vmid),
    hypervisor.isReplicated(guest),
    hypervisor.isHighlyAvailable(guest),
    hypervisor.nodeVersion(guest.node),
    hypervisor.networks(guest.node),
    hasQuorum(hypervisor),
    withSizes(sizesOf(hypervisor), guest.node, located.config.disks),
    guestAttachments(hypervisor, guest, located.config),
    guest.type === GuestType.QEMU ? hypervisor.processor(guest.node) : null,
  ]);
  return {
    guest,
    config: located.config,
    pendingKeys: changedKeys(located.config, pending),
    disks,
    pendingDisks: newDisks(disks, pending.disks),
    status,
    snapshots,
    tasks: tasks.map(({ type }) => type),
    replicated,
    haManaged,
    version,
    bridgeMtus: mtusOf(networks),
    quorate,
    networks,
    attachments,
    processor,
    machine,
  };
}

const gone = (message: string): DroverError => new DroverError("conflict", message, { reason: "GUEST_GONE" });

const mtusOf = (networks: readonly ObservedNetwork[]): BridgeMtus =>
  new Map(networks.flatMap(({ name, mtu }) => (mtu === null ? [] : [[name, mtu]])));

const changedKeys = ({ settings: current }: GuestConfig, { settings: pending }: GuestConfig): string[] =>
  [...new Set([...Object.keys(current), ...Object.keys(pending)])].filter((key) => current[key] !== pending[key]);

function newDisks(attached: readonly Disk[], pending: readonly Disk[]): string[] {
  const known = new Set(attached.map(({ volume }) => volume));
  return pending.filter((disk) => isCopied(disk) && !known.has(disk.volume)).map(({ key }) => key);
}

/** The target node as its host shows it; offline when that does not answer. */
export interface TargetSight {
  readonly online: boolean;
  readonly version: string | null;
  /** Null: it did not say. */
  readonly endpoint: { readonly host: string; readonly fingerprint: string | null } | null;
  readonly bridgeMtus: BridgeMtus;
  /** What the connection may do; null: not known. */
  readonly authority: ReceivingAuthority | null;
  readonly quorate: boolean;
  readonly networks: readonly ObservedNetwork[];
  readonly attachments: HostAttachments;
  /** Null: not known, or no machine is to come. */
  readonly processor: Processor | null;
  /** None: not known, or no machine is to come. */
  readonly machineTypes: readonly string[];
}

export const UNSEEN_TARGET: TargetSight = {
  online: false,
  version: null,
  endpoint: null,
  bridgeMtus: new Map(),
  authority: null,
  quorate: true,
  networks: [],
  attachments: { backupJobs: [], firewall: null },
  processor: null,
  machineTypes: [],
};

/** @throws DroverError platform, unless the host is merely away */
export async function observeTarget(
  reach: () => Promise<Hypervisor>,
  { type, node }: Pick<GuestAddress, "type" | "node">,
): Promise<TargetSight> {
  try {
    const hypervisor = await reach();
    const authority = await hypervisor.receivingAuthority();
    // It would refuse to tell the rest: what is missing is named instead.
    if (authority.missingForHost !== null) return { ...UNSEEN_TARGET, authority, online: true };
    const [{ version }, endpoint, networks, quorate, attachments, processor, machineTypes] = await Promise.all([
      hypervisor.nodeVersion(node),
      hypervisor.endpoint(node),
      hypervisor.networks(node),
      hasQuorum(hypervisor),
      hostAttachments(hypervisor),
      type === GuestType.QEMU ? hypervisor.processor(node) : null,
      type === GuestType.QEMU ? hypervisor.machineTypes(node) : [],
    ]);
    const more = { networks, attachments, processor, machineTypes, authority };
    return { online: true, version, endpoint, bridgeMtus: mtusOf(networks), quorate, ...more };
  } catch (error) {
    if (!isPlatformError(error, PlatformReason.UNREACHABLE)) throw error;
    return UNSEEN_TARGET;
  }
}
