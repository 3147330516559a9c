// Saves one guest into an archive: its lock, its log, its disks, its notes, and which older archives go.
import { randomUUID } from "node:crypto";
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { nodeOf } from "../guests/lookup.js";
import { renderBytes, timestamp } from "../migration/figures.js";
import type { Call } from "../route.js";
import type { Archive, Guest } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { volumeId } from "../state/storage.js";
import { volumePath } from "../storage/naming.js";
import { storageNamed, volumesOn } from "../storage/storages.js";
import type { Worker } from "../tasks/worker.js";
import { TaskInterrupted } from "../tasks/worker.js";
import { archiveName } from "./archive.js";
import type { SavedDisk } from "./disks.js";
import { disksOf } from "./disks.js";
import { logPreparation, runForBackup } from "./guestModes.js";
import { fillTemplate } from "./notes.js";
import { parseRetention, prunable } from "./prune.js";
import { targetStorage } from "./target.js";

const secondMs = 1000;
/** An archive is compressed while it is written: that takes so many times as long as copying. */
const compressionEffort = 4;

/** @throws ApiError 500 with the reason that the log shows */
export async function saveGuest(call: Call, vmid: number, task: Worker): Promise<void> {
  const { platform, identity } = call;
  const guest = platform.state.guests.get(vmid);
  if (guest === undefined) throw failure(`unable to find VM '${vmid}'`);
  platform.permissions.check(identity.label, `/vms/${vmid}`, ["VM.Backup"]);
  const begun = platform.clock.now();
  task.log(`INFO: Starting Backup of VM ${vmid} (${guest.type})`);
  task.log(`INFO: Backup started at ${timestamp(begun)}`);
  task.log(`INFO: status = ${guest.runtime === null ? "stopped" : "running"}`);
  await lockForBackup(call, guest, task);
  try {
    await save(call, guest, task);
  } finally {
    if (!task.dead) delete guest.config.lock;
  }
  const seconds = Math.max(1, Math.round(platform.clock.passedSince(begun) / secondMs));
  task.log(`INFO: Finished Backup of VM ${vmid} (${clock(seconds)})`);
  task.log(`INFO: Backup finished at ${timestamp(platform.clock.now())}`);
}

function clock(seconds: number): string {
  return new Date(seconds * secondMs).toISOString().slice(11, 19);
}

/** The lock in the configuration stays for the whole backup, that of the file only for the moment of setting it. */
async function lockForBackup({ platform }: Call, guest: Guest, task: Worker): Promise<void> {
  const set = (): void => {
    checkLock(guest);
    guest.config.lock = "backup";
  };
  await platform.locks.hold(guest, set, { log: (line) => task.log(line), signal: task.signal });
}

async function save(call: Call, guest: Guest, task: Worker): Promise<void> {
  const { platform, parameters } = call;
  const disks = disksOf(platform, guest);
  const mode = guest.runtime === null ? "stop" : (parameters.optional("mode") ?? "snapshot");
  const volume = newArchive(call, guest, disks);
  const storage = storageNamed(platform.state, volume.storage);
  logPreparation(platform, { guest, mode, disks, task, bandwidth: parameters.number("bwlimit") ?? 0 });
  task.log(`INFO: creating vzdump archive '${volumePath(storage, volume.name)}'`);
  platform.state.volumes.push(volume);
  try {
    await runForBackup(platform, { guest, mode, task }, () => copy(guest, disks, task));
  } catch (error) {
    // A process that was killed cleans nothing up: its partial file stays.
    if (!task.dead) platform.state.volumes = platform.state.volumes.filter((other) => other !== volume);
    throw error;
  }
  finish(call, { guest, volume, disks, task });
}

function newArchive(call: Call, guest: Guest, disks: readonly SavedDisk[]): Volume {
  const { platform, parameters } = call;
  const storage = storageNamed(platform.state, targetStorage(parameters.values));
  const { lock: _lock, ...config } = guest.config;
  const backup: Archive = {
    type: guest.type,
    vmid: guest.vmid,
    config,
    rawLines: [...guest.rawLines],
    firewall: guest.firewall,
    disks: disks.filter(({ included }) => included).map(({ included: _included, volid: _volid, ...disk }) => disk),
    notes: null,
    protected: null,
  };
  const { name, ctime } = freeName(call, guest, storage.name);
  const place = { storage: storage.name, node: storage.shared ? null : guest.node, name: `backup/${name}` };
  const format = name.slice(name.indexOf(".") + 1);
  const rest = { vmid: guest.vmid, parent: null, ctime, hasSystem: false, backup };
  return { ...place, content: "backup", format, size: 0, used: 0, ...rest };
}

/** Two archives of a guest never begin in the same second in life; here time may run faster than the clock. */
function freeName(call: Call, guest: Guest, storage: string): { name: string; ctime: number } {
  const { state, clock: time } = call.platform;
  const compress = call.parameters.optional("compress") ?? "0";
  for (let ctime = time.seconds(); ; ctime += 1) {
    const name = archiveName(guest, ctime * secondMs, compress);
    const stem = `backup/${name.slice(0, name.indexOf("."))}.`;
    if (!state.volumes.some((volume) => volume.storage === storage && volume.name.startsWith(stem)))
      return { name, ctime };
  }
}

async function copy(guest: Guest, disks: readonly SavedDisk[], task: Worker): Promise<void> {
  const included = disks.filter((disk) => disk.included);
  const bytes = included.reduce((sum, disk) => sum + disk.bytes, 0);
  const started = `INFO: started backup task '${randomUUID()}'`;
  if (guest.type === "qemu") for (const line of ["INFO: starting backup via QMP command", started]) task.log(line);
  let seconds = 0;
  const progress = (done: number): void => {
    seconds += 1;
    if (guest.type !== "qemu" || (seconds % 3 !== 0 && done < bytes)) return;
    const percent = String(Math.floor((done * 100) / bytes)).padStart(3);
    const rate = renderBytes(done / seconds);
    task.log(
      `INFO: ${percent}% (${renderBytes(done)} of ${renderBytes(bytes)}) in ${seconds}s, read: ${rate}/s, write: 0 B/s`,
    );
  };
  try {
    await task.transfer(bytes * compressionEffort, (done) => progress(done / compressionEffort));
  } catch (error) {
    if (guest.type !== "qemu" || task.dead) throw error;
    const words = error instanceof TaskInterrupted ? "interrupted by signal" : String(error);
    for (const line of [`ERROR: ${words}`, "INFO: aborting backup job", "INFO: resuming VM again"]) task.log(line);
    throw error;
  }
  if (guest.type === "lxc") return task.log(`INFO: Total bytes written: ${bytes} (${renderBytes(bytes)}, 28MiB/s)`);
  const gib = (bytes / 1024 ** 3).toFixed(2);
  task.log(`INFO: backup is sparse: ${gib} GiB (100%) total zero data`);
  task.log(`INFO: transferred ${gib} GiB in ${seconds} seconds (${renderBytes(bytes / Math.max(1, seconds))}/s)`);
}

interface Saved {
  guest: Guest;
  volume: Volume;
  disks: readonly SavedDisk[];
  task: Worker;
}

const headerBytes = 402;

function finish(call: Call, { guest, volume, disks, task }: Saved): void {
  const { parameters, platform } = call;
  const used = disks.reduce((sum, disk) => sum + (disk.included ? disk.used : 0), 0);
  volume.size = headerBytes + Math.round(used * 0.5);
  volume.used = volume.size;
  task.log(`INFO: archive file size: ${Math.floor(volume.size / 1024)}KB`);
  const template = parameters.optional("notes-template");
  if (template !== undefined && volume.backup !== undefined) {
    task.log("INFO: adding notes to backup");
    volume.backup.notes = fillTemplate(platform, guest, template);
  }
  if (parameters.flag("protected") && volume.backup !== undefined) {
    task.log("INFO: marking backup as protected");
    volume.backup.protected = true;
  }
  if (parameters.optional("remove") !== "0") prune(call, volume, task);
}

/** Archives of the same guest that the retention of the task, or of its storage, no longer covers. */
function prune(call: Call, made: Volume, task: Worker): void {
  const { platform, parameters } = call;
  const storage = storageNamed(platform.state, made.storage);
  const rules = parameters.optional("prune-backups") ?? storage.options?.["prune-backups"] ?? "keep-all=1";
  const backups = volumesOn(platform.state, storage, nodeOf(call))
    .filter(({ backup, vmid }) => backup !== undefined && vmid === made.vmid)
    .map((volume) => ({ volid: volumeId(volume), ctime: volume.ctime, protected: volume.backup?.protected === true }));
  const gone = prunable(backups, parseRetention(rules));
  if (gone.length === 0) return;
  task.log(`INFO: prune older backups with retention: ${rules.replaceAll(",", ", ")}`);
  for (const { volid } of gone) task.log(`INFO: removing backup '${volid}'`);
  const names = new Set(gone.map(({ volid }) => volid));
  platform.state.volumes = platform.state.volumes.filter((volume) => !names.has(volumeId(volume)));
  task.log(`INFO: pruned ${gone.length} backup(s) not covered by keep-retention policy`);
}
