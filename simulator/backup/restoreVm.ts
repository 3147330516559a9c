// Restores a VM from an archive: what is refused at once, and the task that makes the disks and writes the configuration.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkBridgeAccess } from "../guests/bridges.js";
import { checkLock } from "../guests/config.js";
import { answerWithTask } from "../guests/guestTask.js";
import { randomUUID } from "../guests/identifiers.js";
import { checkVmidUnused, nodeOf } from "../guests/lookup.js";
import { registerUnused } from "../guests/unusedVolumes.js";
import { printDrive, parseDrive, isDriveName, isUnusedName, isCdrom } from "../qemu/drives.js";
import { attachments, isNetworkName, withNewMac } from "../qemu/network.js";
import { launchStart } from "../qemu/start.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import type { Archive, ConfigValues, Guest } from "../state/guest.js";
import { newGuest } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { volumeId } from "../state/storage.js";
import { checkVolumeAccess } from "../storage/access.js";
import { volumePath } from "../storage/naming.js";
import { enabledStorage, storageNamed } from "../storage/storages.js";
import { allocate, free } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import { findArchive } from "./archive.js";
import { foreignSettings } from "./foreign.js";

const partly =
  "error before or during data restore, some or all disks were not completely restored. VM ID state is NOT cleaned up.";

/** `POST /nodes/{node}/qemu` with `archive` → UPID; the rights to make the VM were checked before. */
export function restoreVm(call: Call): ApiAnswer {
  const { platform, parameters } = call;
  const vmid = vmidOf(call);
  const volid = parameters.text("archive");
  checkVolumeAccess(call, { volid, vmid, content: "backup" });
  const storage = parameters.optional("storage");
  if (storage !== undefined) enabledStorage(platform.state, storage, nodeOf(call));
  const present = platform.state.guests.get(vmid);
  checkPlace(call, present);
  const guest = present ?? newGuest({ type: "qemu", vmid, node: nodeOf(call), createdAtMs: platform.clock.now() }, {});
  guest.config = { ...guest.config, lock: "create" };
  platform.state.guests.set(vmid, guest);
  return answerWithTask(call, {
    type: "qmrestore",
    expectedMs: 3000,
    run: async (task) => {
      await platform.locks.hold(guest, () => restore(call, guest, { volid, task }));
      if (parameters.flag("start")) launchStart(platform, { node: guest.node, vmid, identity: call.identity });
    },
  });
}

function checkPlace(call: Call, present: Guest | undefined): void {
  const vmid = vmidOf(call);
  if (present === undefined) return;
  const replaces = call.parameters.flag("force") && present.type === "qemu" && present.node === nodeOf(call);
  if (!replaces) {
    try {
      checkVmidUnused(call.platform.state, vmid);
    } catch (error) {
      throw failure(`unable to restore VM ${vmid} - ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  checkLock(present);
  if (present.config.protection === "1") throw failure(`unable to restore VM ${vmid} - protection mode enabled`);
  if (present.runtime !== null) throw failure(`unable to restore vm ${vmid} - vm is running`);
}

async function restore(call: Call, guest: Guest, { volid, task }: { volid: string; task: Worker }): Promise<void> {
  const { platform } = call;
  const archive = findArchive(platform, volid, guest.node);
  if (archive === null) {
    platform.state.guests.delete(guest.vmid);
    throw failure(`volume '${volid}' does not exist`);
  }
  const path = volumePath(storageNamed(platform.state, archive.storage), archive.name);
  if (archive.backup.type !== "qemu") {
    for (const line of foreignSettings(guest.vmid, archive.backup)) task.log(line);
    leaveBehind(guest, task);
    throw failure(`ERROR: file '${path}' does not look like a QemuServer vzdump backup`);
  }
  try {
    checkBridgeAccess(call, attachments(platform.release, archive.backup.config));
  } catch (error) {
    leaveBehind(guest, task, true);
    throw failure(`403 ${error instanceof Error ? error.message : String(error)}`);
  }
  logExtraction(task, { path, format: archive.format, backup: archive.backup, ctime: archive.ctime });
  await extract(call, guest, { backup: archive.backup, task });
}

/** What fails before the disks are there leaves a guest without settings, or with its former ones. */
function leaveBehind(guest: Guest, task: Worker, keeps = false): void {
  if (keeps) delete guest.config.lock;
  else guest.config = {};
  task.log(partly.replace("VM ID", `VM ${guest.vmid}`));
}

const decoders: Readonly<Record<string, string>> = { zst: "zstd -q -d -c", gz: "zcat", lzo: "lzop -d -c" };

function logExtraction(
  task: Worker,
  { path, format, backup, ctime }: { path: string; format: string; backup: Archive; ctime: number },
): void {
  const decoder = decoders[format.split(".")[1] ?? ""];
  const directory = "/var/tmp/vzdumptmp1000";
  const source =
    decoder === undefined
      ? `vma extract -v -r ${directory}.fifo ${path}`
      : `${decoder} ${path} | vma extract -v -r ${directory}.fifo -`;
  task.log(`restore vma archive: ${source} ${directory}`);
  task.log(`CFG: size: ${JSON.stringify(backup.config).length} name: qemu-server.conf`);
  for (const [index, { key, bytes }] of backup.disks.entries())
    task.log(`DEV: dev_id=${index + 1} size: ${bytes} devname: drive-${key}`);
  task.log(`CTIME: ${new Date(ctime * 1000).toString().slice(0, 24)}`);
}

async function extract(call: Call, guest: Guest, how: { backup: Archive; task: Worker }): Promise<void> {
  const { platform, parameters } = call;
  const { backup, task } = how;
  const former = ownVolumes(call, guest);
  const replaced = replacedVolumes(call, guest, backup);
  for (const volume of replaced) free(platform, volume, () => {});
  const config = restoredConfig(call, backup);
  for (const disk of backup.disks) {
    const storage = parameters.optional("storage") ?? disk.storage;
    const wanted = { storage, node: guest.node, vmid: guest.vmid, format: disk.format, bytes: disk.bytes };
    const made = allocate(platform, { ...wanted, hasSystem: disk.hasSystem }, (line) => task.log(line));
    made.used = disk.used;
    const volid = volumeId(made);
    const place = volumePath(storageNamed(platform.state, storage), made.name);
    task.log(`new volume ID is '${volid}'`);
    task.log(`map 'drive-${disk.key}' to '${place}' (write zeros = 0)`);
    const drive = parseDrive(platform.release, disk.key, config[disk.key] ?? volid);
    config[disk.key] = printDrive(platform.release, disk.key, { ...drive, file: volid });
    await task.transfer(disk.bytes);
  }
  task.log("rescan volumes...");
  guest.config = { ...config, ...given(call) };
  guest.firewall = backup.firewall;
  const kept = former.filter((volume) => !replaced.includes(volume));
  for (const volume of kept) {
    const slot = registerUnused(guest, volumeId(volume));
    task.log(`VM ${guest.vmid} add unreferenced volume '${volumeId(volume)}' as '${slot}' to config`);
  }
}

function ownVolumes({ platform }: Call, { vmid, node }: Guest): Volume[] {
  const isHere = (volume: Volume): boolean => volume.node === null || volume.node === node;
  return platform.state.volumes.filter(
    (volume) => volume.vmid === vmid && volume.content === "images" && isHere(volume),
  );
}

/** Disks in the slots that the archive fills, and the cloud-init drive, make room. */
function replacedVolumes(call: Call, guest: Guest, backup: Archive): Volume[] {
  const slots = new Set(backup.disks.map(({ key }) => key));
  const files = Object.entries(guest.config)
    .filter(([key, value]) => slots.has(key) || (isDriveName(key) && value.includes("cloudinit")))
    .map(([, value]) => value.split(",")[0]);
  return ownVolumes(call, guest).filter((volume) => files.includes(volumeId(volume)));
}

/** Disks that were not saved are gone; a unique copy gets identifiers of its own. */
function restoredConfig(call: Call, backup: Archive): ConfigValues {
  const { release } = call.platform;
  const saved = new Set(backup.disks.map(({ key }) => key));
  const config: ConfigValues = {};
  for (const [key, value] of Object.entries(backup.config)) {
    if (isUnusedName(key) || key === "parent" || key === "lock") continue;
    if (isDriveName(key) && !saved.has(key) && !isCdrom(parseDrive(release, key, value))) continue;
    config[key] = call.parameters.flag("unique") && isNetworkName(key) ? withNewMac(release, value) : value;
  }
  if (config.vmgenid !== undefined) config.vmgenid = randomUUID();
  if (call.parameters.flag("unique")) config.smbios1 = `uuid=${randomUUID()}`;
  return config;
}

/** Settings that the request gives besides. */
function given({ parameters }: Call): ConfigValues {
  const own = "node vmid archive storage force unique start pool bwlimit live-restore ha-managed".split(" ");
  return parameters.without(...own);
}
