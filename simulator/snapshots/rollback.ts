// Rolls guests back to a snapshot, volume by volume; what fails in the middle leaves the guest locked.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { answerWithTask } from "../guests/guestTask.js";
import { randomUUID } from "../guests/identifiers.js";
import { guestOn, nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { vmidOf } from "../route.js";
import type { ConfigValues, Guest, Snapshot } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import type { Worker } from "../tasks/worker.js";
import type { SnapshotHabits } from "./habits.js";
import { snapshotOf } from "./list.js";
import { rollbackVolume } from "./volumes.js";

/** `POST …/snapshot/{snapname}/rollback` → UPID; a running guest is stopped first. */
export function rollback(habits: SnapshotHabits): (call: Call) => ApiAnswer {
  return (call) => {
    const { platform, identity, parameters } = call;
    const { type, taskPrefix } = habits;
    if (parameters.flag("start")) platform.permissions.check(identity.label, `/vms/${vmidOf(call)}`, ["VM.PowerMgmt"]);
    return answerWithTask(call, {
      type: `${taskPrefix}rollback`,
      expectedMs: 600,
      run: (task) =>
        platform.locks.hold(
          { type, vmid: vmidOf(call) },
          () => roll(call, guestOn(platform.state, type, vmidOf(call), nodeOf(call)), { habits, task }),
          { log: (line) => task.log(line), signal: task.signal },
        ),
    });
  };
}

async function roll(call: Call, guest: Guest, how: { habits: SnapshotHabits; task: Worker }): Promise<void> {
  const { platform, parameters } = call;
  const name = parameters.text("snapname");
  if (isTemplate(guest)) throw failure("you can't rollback if vm is a template");
  const snapshot = snapshotOf(guest, name);
  if (snapshot.snapstate !== null)
    throw failure(`unable to rollback to incomplete snapshot (snapstate = ${snapshot.snapstate})`);
  checkLock(guest);
  guest.runtime = null;
  guest.config.lock = "rollback";
  await how.task.sleep(500);
  for (const { volid } of how.habits.volumes(platform, snapshot.config))
    rollbackVolume(platform, { volid, node: guest.node, name }, (line) => how.task.log(line));
  guest.config = rolledBack(guest, name, snapshot);
  if (snapshot.memory !== null) guest.runtime = { ...snapshot.memory.runtime, startedAtMs: platform.clock.now() };
  else if (parameters.flag("start")) how.habits.start(call, guest);
}

/** The former configuration; description and unused disks stay as they are, and a VM is another generation. */
function rolledBack(guest: Guest, name: string, { config }: Snapshot): ConfigValues {
  const kept = Object.entries(guest.config).filter(([key]) => /^(?:description|unused\d+)$/.test(key));
  const rolled: ConfigValues = { ...config, ...Object.fromEntries(kept), parent: name };
  if (config.vmgenid !== undefined) rolled.vmgenid = randomUUID();
  return rolled;
}
