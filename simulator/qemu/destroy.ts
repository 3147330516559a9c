// Destroys a VM with its volumes; the configuration goes last, so that the VMID is free only when the task is done.
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import { removeAccess } from "../guests/removeAccess.js";
import { checkReplication } from "../guests/replication.js";
import { checkLock, checkProtection } from "../guests/config.js";
import { answerWithTask } from "../guests/guestTask.js";
import { guestOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import { superuser } from "../state/access.js";
import type { Guest } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { volumeId } from "../state/storage.js";
import { findVolume, free, isUsedBase } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import { isCdrom, isCloudInit, isDriveName, isUnusedName, parseDrive } from "./drives.js";
import { requireWritable } from "../state/quorum.js";

/** `DELETE …/{vmid}` → UPID; a lock is noticed only in the task. */
export function destroyVm(call: Call): ApiAnswer {
  const { platform, parameters, identity } = call;
  if (parameters.flag("skiplock") && identity.label !== superuser)
    throw parameterError({ skiplock: "Only root may use this option." });
  checkDestroyable(call);
  return answerWithTask(call, {
    type: "qmdestroy",
    expectedMs: 300,
    run: (task) =>
      platform.locks.hold({ type: "qemu", vmid: vmidOf(call) }, () => destroy(call, task), {
        log: (line) => task.log(line),
      }),
  });
}

function checkDestroyable(call: Call): Guest {
  const guest = guestOf(call, "qemu");
  checkProtection(guest, `can't remove VM ${guest.vmid}`);
  if (!call.parameters.flag("purge")) checkReferences(guest);
  if (guest.runtime !== null) throw failure(`VM ${guest.vmid} is running - destroy failed`);
  return guest;
}

function checkReferences(guest: Guest): void {
  if (guest.hastate !== null)
    throw failure(`unable to remove VM ${guest.vmid} - used in HA resources and purge parameter not set.`);
  checkReplication(guest);
}

async function destroy(call: Call, task: Worker): Promise<void> {
  const { platform, parameters } = call;
  const guest = checkDestroyable(call);
  if (!parameters.flag("skiplock")) checkLock(guest, "suspended");
  const volumes = ownVolumes(call, guest);
  if (isTemplate(guest)) checkBaseVolumes(call, volumes);
  requireWritable(platform.state, guest);
  await task.sleep(200);
  for (const volume of volumes) free(platform, volume, (line) => task.log(line));
  guest.config = { lock: "destroyed" };
  if (parameters.flag("destroy-unreferenced-disks")) freeUnreferenced(call, guest, task);
  removeAccess(platform.state.access, guest.vmid);
  if (parameters.flag("purge")) {
    task.log(`purging VM ${guest.vmid} from related configurations..`);
    platform.state.backedUp.delete(guest.vmid);
    if (guest.hastate !== null) task.log(`NOTE: removed VM ${guest.vmid} from HA resource configuration.`);
  }
  platform.state.guests.delete(guest.vmid);
}

/** Volumes that the configuration, its pending part and its snapshots name and the VM owns. */
function ownVolumes(call: Call, guest: Guest): Volume[] {
  const { platform } = call;
  const configs = [guest.config, guest.pending, ...[...guest.snapshots.values()].map((snapshot) => snapshot.config)];
  const found = new Set<Volume>();
  for (const config of configs)
    for (const [key, value] of Object.entries(config)) {
      const file = volumeFile(call, key, value);
      const volume = file === null ? null : findVolume(platform, file, guest.node);
      if (volume !== null && volume.vmid === guest.vmid) found.add(volume);
    }
  for (const { memory } of guest.snapshots.values()) {
    const volume = memory === null ? null : findVolume(platform, memory.volume, guest.node);
    if (volume !== null) found.add(volume);
  }
  return [...found];
}

function volumeFile(call: Call, key: string, value: string): string | null {
  if (key === "vmstate" || isUnusedName(key)) return value.split(",")[0] ?? null;
  if (!isDriveName(key)) return null;
  const drive = parseDrive(call.platform.release, key, value);
  return isCdrom(drive) && !isCloudInit(drive) ? null : drive.file;
}

function checkBaseVolumes(call: Call, volumes: readonly Volume[]): void {
  const used = volumes.find((volume) => isUsedBase(call.platform, volume));
  if (used !== undefined) throw failure(`base volume '${volumeId(used)}' is still in use by linked cloned`);
}

function freeUnreferenced(call: Call, guest: Guest, task: Worker): void {
  const { platform } = call;
  const left = platform.state.volumes.filter(
    (volume) => volume.vmid === guest.vmid && (volume.node === null || volume.node === guest.node),
  );
  for (const volume of left) if (volume.content === "images") free(platform, volume, (line) => task.log(line));
}
