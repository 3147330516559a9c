// Brings a guest into the state that a backup's mode needs, and says so in the order in which Proxmox VE does.
import { failure } from "../api.js";
import type { Platform } from "../platform.js";
import { newRuntime } from "../qemu/start.js";
import { hasSystem } from "../qemu/hasSystem.js";
import { canSnapshot } from "../snapshots/volumes.js";
import type { Guest } from "../state/guest.js";
import type { Worker } from "../tasks/worker.js";
import type { SavedDisk } from "./disks.js";
import { diskLine } from "./disks.js";

interface Preparation {
  guest: Guest;
  mode: string;
  disks: readonly SavedDisk[];
  task: Worker;
  /** KiB/s; 0: none. */
  bandwidth: number;
}

/** Everything that the log says before the archive is made. */
export function logPreparation(platform: Platform, { guest, mode, disks, task, bandwidth }: Preparation): void {
  const name = guest.config.name ?? guest.config.hostname ?? `VM ${guest.vmid}`;
  const who = [
    `INFO: ${guest.type === "qemu" ? "VM" : "CT"} Name: ${name}`,
    ...disks.map((disk) => diskLine(guest, disk)),
  ];
  const how = [
    `INFO: backup mode: ${modeUsed(platform, guest, { mode, disks })}`,
    ...(bandwidth > 0 ? [`INFO: bandwidth limit: ${bandwidth} KiB/s`] : []),
    "INFO: ionice priority: 7",
  ];
  const fallsBack = guest.type === "lxc" && mode === "snapshot" && !isSnapshottable(platform, guest, disks);
  const retry = fallsBack
    ? ["INFO: mode failure - some volumes do not support snapshots", "INFO: trying 'suspend' mode instead"]
    : [];
  const startsWithMode = mode !== "snapshot" || guest.runtime === null || guest.type === "lxc";
  for (const line of startsWithMode ? [...retry, ...how, ...who] : [...who, ...how]) task.log(line);
  if (mode === "suspend" && guest.type === "qemu") task.log("INFO: suspending guest");
  if (fallsBack || (mode === "suspend" && guest.type === "lxc")) task.log("INFO: suspend vm to make snapshot");
}

function modeUsed(
  platform: Platform,
  guest: Guest,
  { mode, disks }: { mode: string; disks: readonly SavedDisk[] },
): string {
  return guest.type === "lxc" && mode === "snapshot" && !isSnapshottable(platform, guest, disks) ? "suspend" : mode;
}

function isSnapshottable(platform: Platform, guest: Guest, disks: readonly SavedDisk[]): boolean {
  return disks.every(({ volid }) => canSnapshot(platform, volid, guest.node));
}

const stopMs = 2000;

/** Copies while the guest is in the state that the mode asks for, and brings it back. */
export async function runForBackup(
  platform: Platform,
  { guest, mode, task }: { guest: Guest; mode: string; task: Worker },
  copy: () => Promise<void>,
): Promise<void> {
  if (guest.type === "lxc") return runContainer({ guest, mode, task }, copy);
  const wasRunning = guest.runtime !== null;
  if (mode === "stop") await stopFirst(platform, guest, task);
  const starts = guest.runtime === null;
  if (starts) {
    task.log("INFO: starting kvm to execute backup task");
    guest.runtime = { ...newRuntime(platform, guest), qmpstatus: "prelaunch", memoryBytes: 0, cpu: 0 };
  } else logFreeze(platform, guest, task);
  try {
    await copy();
  } finally {
    if (!task.dead && starts) guest.runtime = wasRunning ? newRuntime(platform, guest) : null;
  }
  if (starts) task.log(wasRunning ? "INFO: restarting vm" : "INFO: stopping kvm after backup task");
  if (mode === "suspend") task.log("INFO: resume vm");
}

/** A running VM is shut down first, which needs a system that listens. */
async function stopFirst(platform: Platform, guest: Guest, task: Worker): Promise<void> {
  if (guest.runtime === null) return;
  task.log("INFO: stopping virtual guest");
  await task.sleep(stopMs);
  if (!hasSystem(platform, guest))
    throw failure(`command 'qm shutdown ${guest.vmid} --skiplock --keepActive --timeout 600' failed: exit code 255`);
  guest.runtime = null;
}

function logFreeze(platform: Platform, guest: Guest, task: Worker): void {
  const asks = /^(?:1|enabled=1)/.test(guest.config.agent ?? "");
  if (!asks) task.log("INFO: skipping guest filesystem freeze - disabled in VM options");
  else if (!hasSystem(platform, guest))
    task.log("INFO: skipping guest-agent 'fs-freeze', agent configured but not running?");
  else for (const command of ["fs-freeze", "fs-thaw"]) task.log(`INFO: issuing guest-agent '${command}' command`);
}

async function runContainer(
  { guest, mode, task }: { guest: Guest; mode: string; task: Worker },
  copy: () => Promise<void>,
): Promise<void> {
  const before = guest.runtime;
  if (mode === "stop" && before !== null) {
    task.log("INFO: stopping virtual guest");
    await task.sleep(stopMs);
    guest.runtime = null;
  }
  try {
    await copy();
  } finally {
    if (!task.dead) guest.runtime = before;
  }
  if (before === null) return;
  task.log(mode === "stop" ? "INFO: restarting vm" : "INFO: resume vm");
  task.log("INFO: guest is online again after <1 seconds");
}
