// Restores a container from an archive: its settings, completed by those given, and its volumes.
import { failure } from "../api.js";
import { nodeOf } from "../guests/lookup.js";
import { formatSize } from "../parameters/sizes.js";
import { isMountPointName, newVolumeRequest, parseMountPoint, printMountPoint } from "../lxc/mountPoints.js";
import { isInterfaceName, withNewInterfaceMac } from "../lxc/network.js";
import { allocateContainerVolume } from "../lxc/volumes.js";
import { renderBytes } from "../migration/figures.js";
import type { Call } from "../route.js";
import type { Archive, ConfigValues, Guest } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { volumeId } from "../state/storage.js";
import { volumePath } from "../storage/naming.js";
import { storageNamed } from "../storage/storages.js";
import { free } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import { findArchive } from "./archive.js";

/** What a restoration works with. */
interface Restoration {
  guest: Guest;
  task: Worker;
  /** Settings of the request. */
  given: ConfigValues;
  /** Mount points of the request; empty: those of the archive. */
  mountPoints: ConfigValues;
}

/** @throws ApiError 500 with the reason that the task ends with */
export async function restoreContainer(call: Call, { guest, task, given, mountPoints }: Restoration): Promise<void> {
  const { platform, parameters } = call;
  const volid = parameters.text("ostemplate");
  task.log(`recovering backed-up configuration from '${volid}'`);
  const archive = findArchive(platform, volid, nodeOf(call));
  if (archive === null) throw failure(`volume '${volid}' does not exist`);
  if (archive.backup.type !== "lxc") throw failure(`'${volid}' is no backup of a container`);
  const made: Volume[] = [];
  try {
    const disks = makeVolumes(call, { backup: archive.backup, mountPoints, guest, task, made });
    task.log(`restoring '${volid}' now..`);
    const path = volumePath(storageNamed(platform.state, archive.storage), archive.name);
    task.log(`extracting archive '${path}'`);
    const bytes = archive.backup.disks.reduce((sum, disk) => sum + disk.used, 0);
    await task.transfer(bytes);
    task.log(`Total bytes read: ${bytes} (${renderBytes(bytes)}, 46MiB/s)`);
    task.log("merging backed-up and given configuration..");
    replaceVolumes(call, guest, made);
    guest.config = { ...merged(call, archive.backup), ...given, ...disks };
    guest.rawLines = [...archive.backup.rawLines];
    guest.firewall = archive.backup.firewall;
  } catch (error) {
    if (!task.dead) for (const volume of made) free(platform, volume, (line) => task.log(line));
    throw error;
  }
}

/** What the container had before goes only once the new volumes are full. */
function replaceVolumes({ platform }: Call, { vmid, node }: Guest, made: readonly Volume[]): void {
  const former = platform.state.volumes.filter(
    (volume) =>
      volume.vmid === vmid && volume.content !== "backup" && !made.includes(volume) && (volume.node ?? node) === node,
  );
  for (const volume of former) free(platform, volume, () => {});
}

function makeVolumes(
  call: Call,
  work: { backup: Archive; mountPoints: ConfigValues; guest: Guest; task: Worker; made: Volume[] },
): ConfigValues {
  const { platform, parameters } = call;
  const { backup, guest, task } = work;
  const own = Object.keys(work.mountPoints).length > 0;
  const result: ConfigValues = {};
  for (const { key, bytes, used, storage } of backup.disks) {
    const value = own ? work.mountPoints[key] : backup.config[key];
    if (value === undefined) continue;
    const mountPoint = parseMountPoint(platform.release, key, value);
    const request = own ? newVolumeRequest(mountPoint) : { storage: parameters.optional("storage") ?? storage, bytes };
    if (request === null) continue;
    const place = { node: guest.node, vmid: guest.vmid };
    const volume = allocateContainerVolume(platform, { ...request, ...place }, (line) => task.log(line));
    volume.used = Math.max(volume.used, used);
    work.made.push(volume);
    const complete = { ...mountPoint, volume: volumeId(volume), size: formatSize(volume.size) };
    result[key] = printMountPoint(platform.release, key, complete);
  }
  return result;
}

function merged({ platform, parameters }: Call, { config }: Archive): ConfigValues {
  const entries = Object.entries(config)
    .filter(([key]) => !isMountPointName(key) && !/^unused\d+$|^(?:lock|parent|template)$/.test(key))
    .map(([key, value]) => {
      const renews = parameters.flag("unique") && isInterfaceName(key);
      return [key, renews ? withNewInterfaceMac(platform.release, value) : value] as const;
    });
  return Object.fromEntries(entries);
}
