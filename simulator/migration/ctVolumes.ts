// Finds the volumes of a container that a migration has to move, and those that forbid it.
import { failure } from "../api.js";
import type { ConfigValues } from "../state/guest.js";
import { splitVolumeId } from "../state/storage.js";
import { enabledStorage } from "../storage/storages.js";
import { findVolume } from "../storage/volumes.js";
import { effectiveBandwidth } from "./bandwidth.js";
import type { VolumeToCopy } from "./copyVolume.js";
import { mapId } from "./idMap.js";
import type { Migration } from "./migration.js";

/** A volume of a container. */
export interface CtVolume extends VolumeToCopy {
  volid: string;
}

interface MountPoint {
  key: string;
  volid: string;
}

const mountKey = /^(?:rootfs|mp\d+|unused\d+)$/;

/**
 * Mount points on volumes; binds and devices marked as shared are passed over.
 * @throws ApiError for a bind or device that only this node has
 */
export function mountPoints({ platform, guest }: Migration): MountPoint[] {
  return Object.entries(guest.config)
    .filter(([key]) => mountKey.test(key))
    .flatMap(([key, value]) => {
      const [volid = ""] = value.split(",");
      if (volid.startsWith("/")) return passShared(key, value);
      const storage = splitVolumeId(volid)?.storage;
      if (storage === undefined) throw failure(`can't determine assigned storage for mount point '${key}'`);
      if (!enabledStorage(platform.state, storage, guest.node).content.includes("rootdir"))
        throw failure(`content type 'rootdir' is not available on storage '${storage}'`);
      return [{ key, volid }];
    });
}

function passShared(key: string, value: string): [] {
  if (/,shared=1(?:,|$)/.test(value)) return [];
  const kind = value.startsWith("/dev/") ? "device" : "bind";
  throw failure(`cannot migrate local ${kind} mount point '${key}'`);
}

/**
 * Logs and checks all volumes.
 * @throws ApiError when one of them cannot be moved
 */
export async function scanMountPoints(migration: Migration): Promise<CtVolume[]> {
  const { guest, order, platform, log } = migration;
  const inSnapshots = new Set([...guest.snapshots.values()].flatMap(({ config }) => volidsOf(config)));
  const problems = new Map<string, string>();
  const found: CtVolume[] = [];
  for (const { volid } of mountPoints(migration)) {
    const storage = splitVolumeId(volid)?.storage ?? "";
    const bandwidth = await effectiveBandwidth(migration);
    const volume = findVolume(platform, volid, guest.node);
    if (volume === null) problems.set(volid, `volume '${volid}' does not exist`);
    else {
      found.push({ volid, volume, targetStorage: mapId(order.storages, storage), bandwidth });
      if (volume.vmid !== guest.vmid) problems.set(volid, `owned by other guest (owner = ${volume.vmid ?? ""})`);
      else if (inSnapshots.has(volid)) problems.set(volid, snapshotProblem(platform.state.storages.get(storage)?.type));
      else if (volume.parent !== null) problems.set(volid, `clone of '${volume.parent.split("/").at(-1) ?? ""}'`);
    }
  }
  found.sort((a, b) => (a.volid < b.volid ? -1 : 1));
  for (const { volid } of found)
    log.info(
      `found local volume '${volid}' (${inSnapshots.has(volid) ? "referenced by snapshot(s)" : "in current VM config"})`,
    );
  for (const [volid, problem] of problems) log.info(`can't migrate local volume '${volid}': ${problem}`);
  if (problems.size > 0) throw failure("can't migrate CT - check log");
  return found;
}

function snapshotProblem(type: string | undefined): string {
  return type === "zfspool" || type === "btrfs"
    ? "remote migration with snapshots not supported yet"
    : "non-migratable snapshot exists";
}

function volidsOf(config: ConfigValues): string[] {
  return Object.entries(config).flatMap(([key, value]) => (mountKey.test(key) ? [value.split(",")[0] ?? ""] : []));
}
