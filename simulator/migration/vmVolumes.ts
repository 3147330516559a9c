// Finds the volumes of a VM that a migration has to move, and those that forbid it (scan_local_volumes).
import { failure } from "../api.js";
import type { Drive } from "../qemu/drives.js";
import { drivesOf, isCdrom, isUnusedName, parseDrive } from "../qemu/drives.js";
import type { ConfigValues } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { splitVolumeId } from "../state/storage.js";
import { findVolume, isUsedBase } from "../storage/volumes.js";
import { enabledStorage } from "../storage/storages.js";
import { effectiveBandwidth } from "./bandwidth.js";
import { mapId } from "./idMap.js";
import type { Migration } from "./migration.js";

type Origin = "attached" | "unused" | "snapshot" | "pending" | "generated";

const originWords: Readonly<Record<Origin, string>> = {
  attached: "local disk '%s' (attached)",
  unused: "local disk '%s' (unused)",
  snapshot: "local disk '%s' (referenced by snapshot(s))",
  pending: "local disk '%s' (pending change)",
  generated: "generated disk '%s' (in current VM config)",
};

/** A volume of a VM. */
export interface VmVolume {
  volid: string;
  volume: Volume;
  origin: Origin;
  targetStorage: string;
  /** KiB/s; null unlimited. */
  bandwidth: number | null;
}

/** One place of the configuration that names a volume. */
interface Reference {
  volid: string;
  origin: Origin;
  cdrom: boolean;
  inSnapshot: boolean;
}

/** Storages of all volumes that the configuration names. */
export function sourceStorages(migration: Migration): Set<string> {
  const { platform, guest } = migration;
  const names = references(migration).flatMap(({ volid }) => splitVolumeId(volid)?.storage ?? []);
  for (const name of names) enabledStorage(platform.state, name, guest.node);
  return new Set(names);
}

/**
 * Finds all volumes and logs them.
 * @throws ApiError when one of them cannot be moved; the log says which and why
 */
export async function scanVolumes(migration: Migration): Promise<VmVolume[]> {
  const found: VmVolume[] = [];
  const problems = new Map<string, string>();
  const others: string[] = [];
  for (const reference of references(migration)) {
    if (reference.volid === "none") continue;
    if (reference.volid === "cdrom") others.push("can't migrate local cdrom drive");
    else await scanOne(migration, reference, { found, problems });
  }
  found.sort((a, b) => (a.volid < b.volid ? -1 : 1));
  report(migration, found, { problems, others });
  for (const { volid, volume } of found) refuseLinkedClone(volid, volume);
  return found;
}

interface Findings {
  found: VmVolume[];
  problems: Map<string, string>;
}

async function scanOne(migration: Migration, reference: Reference, findings: Findings): Promise<void> {
  const { volid } = reference;
  const parts = splitVolumeId(volid);
  if (volid.startsWith("/") || parts === null) {
    findings.problems.set(volid, "local file/device");
    return;
  }
  const { platform, guest, order } = migration;
  enabledStorage(platform.state, parts.storage, guest.node);
  const bandwidth = await effectiveBandwidth(migration);
  const volume = findVolume(platform, volid, guest.node);
  if (volume === null) findings.problems.set(volid, `unable to determine size for volume '${volid}'`);
  else {
    const targetStorage = mapId(order.storages, parts.storage);
    findings.found.push({ volid, volume, origin: reference.origin, targetStorage, bandwidth });
    const problem = findProblem(migration, reference, volume);
    if (problem !== null) findings.problems.set(volid, problem);
  }
}

function findProblem({ platform, guest }: Migration, reference: Reference, volume: Volume): string | null {
  if (reference.cdrom) return reference.origin === "generated" ? null : "local cdrom image";
  if (volume.vmid !== guest.vmid) return `owned by other VM (owner = VM ${volume.vmid ?? ""})`;
  if (reference.inSnapshot) {
    return guest.runtime === null
      ? "remote migration with snapshots not supported yet"
      : "online storage migration not possible if non-replicated snapshot exists";
  }
  return isUsedBase(platform, volume) ? "referenced by linked clone(s)" : null;
}

function report(
  { log }: Migration,
  found: VmVolume[],
  { problems, others }: { problems: ReadonlyMap<string, string>; others: string[] },
): void {
  for (const { volid, origin } of found) log.info(`found ${originWords[origin].replace("%s", volid)}`);
  const sorted = [...problems].toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [volid, problem] of sorted) log.info(`can't migrate local disk '${volid}': ${problem}`);
  for (const other of others) log.info(other);
  if (problems.size + others.length > 0)
    throw failure("Problem found while scanning volumes - can't migrate VM - check log");
}

function refuseLinkedClone(volid: string, { parent }: Volume): void {
  if (parent === null) return;
  const base = parent.split("/").at(-1) ?? parent;
  const place = "at /usr/share/perl5/PVE/QemuMigrate.pm line 586.";
  throw failure(
    `Problem found while scanning volumes - can't migrate '${volid}' as it's a clone of '${base}' ${place}`,
  );
}

/** Every volume once, with the strongest reason for which it is there. */
function references(migration: Migration): Reference[] {
  const { guest, platform } = migration;
  const { release } = platform;
  const merged = new Map<string, Reference>();
  const note = (key: string, drive: Drive, origin: Origin): void => {
    if (drive.file === "") return;
    const isGenerated = key.startsWith("tpmstate") || (isCdrom(drive) && /vm-\d+-cloudinit/.test(drive.file));
    const known = merged.get(drive.file);
    merged.set(drive.file, {
      volid: drive.file,
      cdrom: isCdrom(drive),
      origin: isGenerated ? "generated" : (known?.origin ?? origin),
      inSnapshot: origin === "snapshot" || known?.inSnapshot === true,
    });
  };
  for (const [key, drive] of drivesOf(release, guest.config)) note(key, drive, "attached");
  for (const [key, value] of unusedOf(guest.config)) note(key, parseDrive(release, key, value), "unused");
  for (const [key, drive] of drivesOf(release, guest.pending)) note(key, drive, "pending");
  for (const { config } of guest.snapshots.values()) {
    for (const [key, drive] of drivesOf(release, config)) note(key, drive, "snapshot");
  }
  return [...merged.values()];
}

function unusedOf(config: ConfigValues): [string, string][] {
  return Object.entries(config).filter(([key]) => isUnusedName(key));
}
