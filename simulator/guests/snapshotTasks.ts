// Makes and removes snapshots in tasks of their own; what a guest type does in its own way is handed in.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import type { Guest, GuestType } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import type { Worker } from "../tasks/worker.js";
import { checkLock } from "./config.js";
import { answerWithTask } from "./guestTask.js";
import { guestOf, guestOn, nodeOf } from "./lookup.js";
import { addSnapshot, removeSnapshot } from "./snapshots.js";
import { requireWritable } from "../state/quorum.js";

/** What is peculiar to the snapshots of one guest type. */
export interface SnapshotHabits {
  type: GuestType;
  /** Start of the names of its tasks. */
  taskPrefix: "qm" | "vz";
  /** The reserved name, beside `current`, that a snapshot of this name would stand for; null when there is none. */
  reservedName: (name: string) => string | null;
  /** What the task says of each volume; null when one of them cannot be snapshot. */
  volumeLines: (call: Call, guest: Guest) => readonly string[] | null;
  keepsMemory: (call: Call, guest: Guest) => boolean;
}

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
    snapshotTask(call, habits, {
      verb: "delsnapshot",
      act: async (guest, task) => {
        checkLock(guest);
        removeSnapshot(guest, call.parameters.text("snapname"));
        await task.sleep(200);
      },
    });
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
    run: (task) => locks.hold(target, () => act(guestOn(state, type, target.vmid, nodeOf(call)), task)),
  });
}

async function take(call: Call, guest: Guest, how: { habits: SnapshotHabits; task: Worker }): Promise<void> {
  const { platform, parameters } = call;
  const { habits, task } = how;
  const name = parameters.text("snapname");
  if (isTemplate(guest)) throw failure("you can't take a snapshot if it's a template");
  checkLock(guest);
  if (guest.snapshots.has(name)) throw failure(`snapshot name '${name}' already used`);
  const lines = habits.volumeLines(call, guest);
  if (lines === null) throw failure("snapshot feature is not available");
  requireWritable(platform.state, guest);
  await task.sleep(200);
  for (const line of lines) task.log(line);
  addSnapshot(guest, {
    name,
    description: parameters.optional("description") ?? "",
    snaptime: platform.clock.seconds(),
    vmstate: habits.keepsMemory(call, guest),
  });
}
