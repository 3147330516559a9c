// Destroys a container with its volumes; a lock is refused at once, and nothing skips it.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkLock, checkProtection } from "../guests/config.js";
import { answerWithTask } from "../guests/guestTask.js";
import { guestOf } from "../guests/lookup.js";
import { removeAccess } from "../guests/removeAccess.js";
import { checkReplication } from "../guests/replication.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import type { Guest } from "../state/guest.js";
import type { Volume } from "../state/storage.js";
import { findVolume, free } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import { mountPointsOf } from "./mountPoints.js";
import { requireWritable } from "../state/quorum.js";

/** `DELETE …/{vmid}` → UPID. */
export function destroyContainer(call: Call): ApiAnswer {
  const guest = checkDestroyable(call);
  if (guest.runtime !== null && !call.parameters.flag("force")) throw stillRunning(guest);
  const { platform } = call;
  return answerWithTask(call, {
    type: "vzdestroy",
    expectedMs: 300,
    run: (task) => platform.locks.hold({ type: "lxc", vmid: vmidOf(call) }, () => destroy(call, task)),
  });
}

function stillRunning(guest: Guest): Error {
  return failure(`unable to destroy CT ${guest.vmid} - container is running`);
}

function checkDestroyable(call: Call): Guest {
  const guest = guestOf(call, "lxc");
  checkProtection(guest, `can't remove CT ${guest.vmid}`);
  checkLock(guest);
  if (!call.parameters.flag("purge")) checkReferences(guest);
  return guest;
}

function checkReferences(guest: Guest): void {
  if (guest.hastate !== null)
    throw failure(`unable to remove CT ${guest.vmid} - used in HA resources and purge parameter not set.`);
  checkReplication(guest);
}

async function destroy(call: Call, task: Worker): Promise<void> {
  const { platform, parameters } = call;
  const guest = checkDestroyable(call);
  if (guest.runtime !== null) {
    if (!parameters.flag("force")) throw stillRunning(guest);
    task.log(`forced to stop CT ${guest.vmid} before destroying!`);
    await task.sleep(400);
    guest.runtime = null;
  }
  requireWritable(platform.state, guest);
  await task.sleep(200);
  const all = parameters.flag("destroy-unreferenced-disks");
  for (const volume of ownVolumes(call, guest, all)) free(platform, volume, (line) => task.log(line));
  removeAccess(platform.state.access, guest.vmid);
  if (parameters.flag("purge")) {
    task.log(`purging CT ${guest.vmid} from related configurations..`);
    platform.state.backedUp.delete(guest.vmid);
    if (guest.hastate !== null) task.log(`NOTE: removed CT ${guest.vmid} from HA resource configuration.`);
  }
  platform.state.guests.delete(guest.vmid);
}

function ownVolumes(call: Call, guest: Guest, all: boolean): Volume[] {
  const { platform } = call;
  const named = [guest.config, guest.pending].flatMap((config) => [
    ...mountPointsOf(platform.release, config).map(([, mountPoint]) => mountPoint.volume),
    ...Object.entries(config)
      .filter(([key]) => /^unused\d+$/.test(key))
      .map(([, value]) => value),
  ]);
  const referenced = named
    .map((volid) => findVolume(platform, volid, guest.node))
    .filter((volume) => volume?.vmid === guest.vmid)
    .filter((volume) => volume !== null);
  const others = platform.state.volumes.filter(
    (volume) => all && volume.vmid === guest.vmid && (volume.node === null || volume.node === guest.node),
  );
  return [...new Set([...referenced, ...others])];
}
