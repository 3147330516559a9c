// Makes and removes snapshots of containers.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { guestOf, guestOn, nodeOf } from "../guests/lookup.js";
import { addSnapshot, removeSnapshot } from "../guests/snapshots.js";
import type { Call } from "../route.js";
import { answer, vmidOf } from "../route.js";
import type { Guest } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import { isFileStorage } from "../state/storage.js";
import { storageNamed } from "../storage/storages.js";
import { findVolume } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import { mountPointsOf } from "./mountPoints.js";

/** `POST …/snapshot` → UPID. */
export function createContainerSnapshot(call: Call): ApiAnswer {
  const name = call.parameters.text("snapname");
  if (name === "current") throw failure("unable to use snapshot name 'current' (reserved name)");
  if (name === "vzdump") throw failure("unable to use snapshot name 'vzdump' (reserved name)");
  guestOf(call, "lxc");
  return launch(call, "vzsnapshot", (guest, task) => take(call, guest, task));
}

/** `DELETE …/snapshot/{snapname}` → UPID. */
export function deleteContainerSnapshot(call: Call): ApiAnswer {
  return launch(call, "vzdelsnapshot", async (guest, task) => {
    checkLock(guest);
    removeSnapshot(guest, call.parameters.text("snapname"));
    await task.sleep(200);
  });
}

function launch(call: Call, type: string, act: (guest: Guest, task: Worker) => Promise<void>): ApiAnswer {
  const { platform, identity } = call;
  const target = { type: "lxc", vmid: vmidOf(call) } as const;
  return answer(
    platform.tasks.start({
      node: nodeOf(call),
      type,
      id: String(target.vmid),
      identity,
      expectedMs: 300,
      run: (task) =>
        platform.locks.hold(target, () => act(guestOn(platform.state, "lxc", target.vmid, nodeOf(call)), task)),
    }),
  );
}

async function take(call: Call, guest: Guest, task: Worker): Promise<void> {
  const { platform, parameters } = call;
  const name = parameters.text("snapname");
  if (isTemplate(guest)) throw failure("you can't take a snapshot if it's a template");
  checkLock(guest);
  if (guest.snapshots.has(name)) throw failure(`snapshot name '${name}' already used`);
  if (!canSnapshot(call, guest)) throw failure("snapshot feature is not available");
  await task.sleep(200);
  addSnapshot(guest, {
    name,
    description: parameters.optional("description") ?? "",
    snaptime: platform.clock.seconds(),
    vmstate: false,
  });
}

/** Raw files cannot be snapshot; thin volumes and ZFS can. */
function canSnapshot(call: Call, guest: Guest): boolean {
  const { platform } = call;
  return mountPointsOf(platform.release, guest.config).every(([, { volume }]) => {
    const found = findVolume(platform, volume, guest.node);
    if (found === null) return false;
    const storage = storageNamed(platform.state, found.storage);
    return !isFileStorage(storage) && storage.type !== "lvm";
  });
}
