// Makes and removes snapshots in tasks of their own.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { answerWithTask } from "../guests/guestTask.js";
import { guestOf, guestOn, nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import type { Guest } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import { requireWritable } from "../state/quorum.js";
import type { Worker } from "../tasks/worker.js";
import type { SnapshotHabits } from "./habits.js";
import { addSnapshot, removeSnapshot } from "./list.js";
import { freeMemory, saveMemory } from "./memory.js";
import { canSnapshot, deleteVolumeSnapshot, snapshotVolume } from "./volumes.js";

/** `POST …/snapshot` → UPID; a lock is noticed only in the task. */
export function createSnapshot(habits: SnapshotHabits): (call: Call) => ApiAnswer {
  return (call) => {
    const name = call.parameters.text("snapname");
    const reserved = name === "current" ? name : habits.reservedName(name);
    if (reserved !== null) throw failure(`unable to use snapshot name '${reserved}' (reserved name)`);
    // A missing container is noticed only in the task.
    if (habits.type === "qemu") guestOf(call, habits.type);
    return snapshotTask(call, habits, { verb: "snapshot", act: (guest, task) => take(call, guest, { habits, task }) });
  };
}

/** `DELETE …/snapshot/{snapname}` → UPID. */
export function deleteSnapshot(habits: SnapshotHabits): (call: Call) => ApiAnswer {
  return (call) =>
    snapshotTask(call, habits, { verb: "delsnapshot", act: (guest, task) => remove(call, guest, { habits, task }) });
}

interface SnapshotWork {
  verb: "snapshot" | "delsnapshot";
  act: (guest: Guest, task: Worker) => Promise<void>;
}

function snapshotTask(call: Call, { type, taskPrefix }: SnapshotHabits, { verb, act }: SnapshotWork): ApiAnswer {
  const { state, locks } = call.platform;
  const target = { type, vmid: vmidOf(call) };
  return answerWithTask(call, {
    type: `${taskPrefix}${verb}`,
    expectedMs: 300,
    run: (task) =>
      locks.hold(target, () => act(guestOn(state, type, target.vmid, nodeOf(call)), task), {
        log: (line) => task.log(line),
        signal: task.signal,
      }),
  });
}

interface Means {
  habits: SnapshotHabits;
  task: Worker;
}

async function take(call: Call, guest: Guest, { habits, task }: Means): Promise<void> {
  const { platform, parameters } = call;
  const name = parameters.text("snapname");
  if (isTemplate(guest)) throw failure("you can't take a snapshot if it's a template");
  checkLock(guest);
  if (guest.snapshots.has(name)) throw failure(`snapshot name '${name}' already used`);
  const volumes = habits.volumes(platform, guest.config);
  if (!volumes.every(({ volid }) => canSnapshot(platform, volid, guest.node)))
    throw failure("snapshot feature is not available");
  requireWritable(platform.state, guest);
  guest.config.lock = "snapshot";
  try {
    const memory = habits.keepsMemory(call, guest) ? await saveMemory(platform, guest, { name, task }) : null;
    await task.sleep(200);
    for (const volume of volumes) {
      const line = habits.says(volume);
      if (line !== null) task.log(line);
      snapshotVolume(platform, volume.volid, { node: guest.node, name });
    }
    const description = habits.description(parameters.optional("description") ?? "");
    addSnapshot(guest, { name, description, snaptime: platform.clock.seconds(), memory });
  } finally {
    if (!task.dead) delete guest.config.lock;
  }
}

/** What fails leaves the snapshot behind, marked, and the guest locked; `force` goes on. */
async function remove(call: Call, guest: Guest, { habits, task }: Means): Promise<void> {
  const { platform, parameters } = call;
  const name = parameters.text("snapname");
  const snapshot = guest.snapshots.get(name);
  if (snapshot === undefined) throw failure(`snapshot '${name}' does not exist`);
  checkLock(guest);
  guest.config.lock = "snapshot-delete";
  snapshot.snapstate = "delete";
  await task.sleep(200);
  for (const { volid } of habits.volumes(platform, snapshot.config)) {
    try {
      deleteVolumeSnapshot(platform, { volid, node: guest.node, name }, (line) => task.log(line));
    } catch (error) {
      if (!parameters.flag("force")) throw error;
      task.log(error instanceof Error ? error.message : String(error));
    }
  }
  freeMemory(platform, guest, snapshot);
  removeSnapshot(guest, name);
  delete guest.config.lock;
}
