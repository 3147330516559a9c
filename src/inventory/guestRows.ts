// Turns an observed guest, its stored row and its configuration into the row that should be stored.
import { GuestStatus } from "../core/enums.js";
import { attachedStorages, dataSizes } from "../core/inventory/disk.js";
import type { Replacement } from "../core/inventory/identity.js";
import { MIB } from "../core/units.js";
import type { GuestConfig } from "../hypervisor/guestConfig.js";
import type { ObservedGuest } from "../hypervisor/observed.js";
import { believedStatus } from "./actualStatuses.js";
import type { GuestIdentity, GuestLoad, KnownGuest, StoredGuest } from "../store/guest/stored.js";

/** The row as it should be: without what only the database knows. */
export type GuestRow = Omit<StoredGuest, "id" | "version">;

// Below these a figure counts as unchanged, so that an idle guest is not written at every sync.
const CPU_STEP = 0.01;
const MEMORY_STEP_MB = 16;
const START_STEP_MS = 10_000;
/** More of the replacements that the host no longer lists are not kept. */
const MOST_TASKS = 50;

export interface Reading {
  readonly observed: ObservedGuest;
  /** What is known of the same guest; undefined when it is new. */
  readonly known: KnownGuest | undefined;
  /** What a closer look at this guest said; undefined: there was none. */
  readonly looked: GuestStatus | undefined;
  /** Read in this sync; undefined: the stored facts stay. */
  readonly config: GuestConfig | undefined;
  /** The tasks that made or destroyed this VMID, as far as the host still knows them. */
  readonly replacements: readonly Replacement[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** @param stored the row of the same guest; undefined when it is new */
export function guestRow(reading: Reading, stored: StoredGuest | undefined): GuestRow {
  const { observed, now } = reading;
  const status = believedStatus(observed.status, stored?.status, reading.looked);
  return {
    type: observed.type,
    vmid: observed.vmid,
    node: observed.node,
    name: observed.name ?? stored?.name ?? "",
    status,
    // The overview of a guest whose node is away says nothing of it.
    template: observed.status === GuestStatus.UNKNOWN ? (stored?.template ?? false) : observed.template,
    lock: observed.lock,
    tags: observed.tags,
    ...size(reading, stored),
    ...guestLoad(reading, stored, status),
    ...configuredFacts(reading, stored),
    unseenSince: status === GuestStatus.UNKNOWN ? (stored?.unseenSince ?? now) : null,
  };
}

/** The row with what only a configuration says; what the overview shows too stays as it is on record. */
export const withConfiguration = (
  reading: Reading & { readonly config: GuestConfig },
  stored: StoredGuest,
): StoredGuest => ({
  ...stored,
  ...diskSize(reading.config),
  ...configuredFacts(reading, stored),
});

/**
 * The configuration is exact; the overview knows only the boot disk, and of some guests a made up size of it, so that without a
 * configuration the disks are not known.
 */
function size(
  { observed, config }: Reading,
  stored: StoredGuest | undefined,
): Pick<GuestRow, "cores" | "memoryMb" | keyof DiskSize> {
  if (config !== undefined)
    return { cores: config.cores ?? observed.cores ?? 0, memoryMb: config.memoryMb, ...diskSize(config) };
  return {
    cores: observed.cores ?? stored?.cores ?? 0,
    memoryMb: memoryOf(observed, stored),
    diskBytes: stored?.diskBytes ?? 0,
    systemDiskBytes: stored?.systemDiskBytes ?? null,
    unsizedDisks: stored?.unsizedDisks ?? null,
  };
}

type DiskSize = Pick<GuestRow, "diskBytes" | "systemDiskBytes" | "unsizedDisks">;

function diskSize({ disks, systemDisk }: GuestConfig): DiskSize {
  const { bytes, systemBytes, unsized } = dataSizes(disks, systemDisk);
  return { diskBytes: bytes, systemDiskBytes: systemBytes, unsizedDisks: unsized };
}

/** Without a configuration. */
export const memoryOf = ({ memoryBytes }: ObservedGuest, before: Pick<StoredGuest, "memoryMb"> | undefined): number =>
  memoryBytes === null ? (before?.memoryMb ?? 0) : Math.round(memoryBytes / MIB);

const NO_LOAD: GuestLoad = { cpuUsage: null, memoryUsedMb: null, startedAt: null };

/** @param status what is believed of the guest's state */
export function guestLoad(
  { observed, now }: Pick<Reading, "observed" | "now">,
  before: GuestLoad | undefined,
  status: GuestStatus,
): GuestLoad {
  if (status === GuestStatus.STOPPED || status === GuestStatus.UNKNOWN) return NO_LOAD;
  const used = observed.memoryUsedBytes === null ? null : Math.round(observed.memoryUsedBytes / MIB);
  const startedAt = observed.uptimeSeconds === null ? null : now - observed.uptimeSeconds * 1000;
  return {
    cpuUsage: steady(before?.cpuUsage, rounded(observed.cpuUsage), CPU_STEP),
    memoryUsedMb: steady(before?.memoryUsedMb, used, MEMORY_STEP_MB),
    startedAt: steady(before?.startedAt, startedAt, START_STEP_MS),
  };
}

const rounded = (fraction: number | null): number | null =>
  fraction === null ? null : Math.round(fraction * 10_000) / 10_000;

/** The stored figure while the observed one is close to it. */
function steady(stored: number | null | undefined, observed: number | null, step: number): number | null {
  if (stored === null || stored === undefined || observed === null) return observed;
  return Math.abs(stored - observed) < step ? stored : observed;
}

function configuredFacts(
  { observed, config, replacements, now }: Reading,
  stored: StoredGuest | undefined,
): Pick<GuestRow, "ipAddresses" | "storages" | "configReadAt" | "identity"> {
  if (config === undefined) {
    return {
      ipAddresses: stored?.ipAddresses ?? [],
      storages: stored?.storages ?? [],
      configReadAt: stored?.configReadAt ?? null,
      identity: stored?.identity ?? null,
    };
  }
  return {
    ipAddresses: config.addresses.map(({ address }) => address),
    storages: attachedStorages(config.disks),
    configReadAt: now,
    identity: {
      marks: config.marks,
      identifiedAt: identifiedAt(replacements, stored?.identity ?? null, now),
      tasks: tasksKnown(replacements, stored?.identity ?? null),
      overview: overviewOf(observed),
    },
  };
}

/** What ends in the future is of a clock that is ahead: set right, it would make all that comes after look older. */
function identifiedAt(replacements: readonly Replacement[], stored: GuestIdentity | null, now: number): number {
  const ends = replacements.map(({ endedAt }) => Math.min(endedAt, now));
  return Math.max(0, stored?.identifiedAt ?? 0, ...ends);
}

/** A task can be out of the host's list for a while, of a node that is away say. */
function tasksKnown(replacements: readonly Replacement[], stored: GuestIdentity | null): readonly string[] {
  const listed = replacements.map(({ task }) => task);
  const earlier = (stored?.tasks ?? []).filter((task) => !listed.includes(task));
  return [...earlier.slice(-MOST_TASKS), ...listed];
}

/** The overview's part of a configuration: a difference means that it was changed. */
export const overviewOf = (guest: ObservedGuest): string =>
  JSON.stringify([guest.name, guest.template, guest.cores, guest.memoryBytes, guest.diskBytes, guest.lock !== null]);
