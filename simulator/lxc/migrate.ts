// Answers what stands against moving a container, and moves it inside a cluster.
import type { ApiAnswer } from "../api.js";
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { answerWithTask } from "../guests/guestTask.js";
import { guestOf, nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { Guest } from "../state/guest.js";
import { findVolume } from "../storage/volumes.js";
import type { Worker } from "../tasks/worker.js";
import { mountPointsOf } from "./mountPoints.js";
import { newContainerRuntime } from "./start.js";

/** `GET …/migrate`, 9.x only. */
export function containerMigratePreconditions(call: Call): ApiAnswer {
  const guest = guestOf(call, "lxc");
  checkLock(guest);
  const others = [...call.platform.state.nodes.keys()].filter((name) => name !== nodeOf(call));
  return answer({ running: guest.runtime === null ? 0 : 1, "allowed-nodes": others, "not-allowed-nodes": {} });
}

/** `POST …/migrate` → UPID: moves the container to another member of the cluster. */
export function migrateContainer(call: Call): ApiAnswer {
  const { platform, parameters } = call;
  const guest = guestOf(call, "lxc");
  const target = parameters.text("target");
  if (target === nodeOf(call)) throw failure("target is local node.");
  if (!platform.state.nodes.has(target)) throw failure(`no such cluster node '${target}'`);
  checkLock(guest);
  if (guest.runtime !== null && !parameters.flag("online") && !parameters.flag("restart"))
    throw failure("can't migrate running container without --online or --restart");
  return answerWithTask(call, {
    type: "vzmigrate",
    expectedMs: 3000,
    run: (task) => platform.locks.hold(guest, () => move(call, guest, { target, task })),
  });
}

async function move(call: Call, guest: Guest, to: { target: string; task: Worker }): Promise<void> {
  const { platform } = call;
  const { target, task } = to;
  const restarts = guest.runtime !== null;
  if (restarts && !call.parameters.flag("restart")) throw failure("lxc live migration is currently not implemented");
  guest.config.lock = "migrate";
  try {
    if (restarts) task.log(`shutdown CT ${guest.vmid}`);
    guest.runtime = null;
    task.log(`starting migration of CT ${guest.vmid} to node '${target}'`);
    for (const [, { volume }] of mountPointsOf(platform.release, guest.config)) {
      const found = findVolume(platform, volume, guest.node);
      if (found === null || found.node === null) continue;
      task.log(`found local volume '${volume}' (in current VM config)`);
      await task.transfer(found.size);
      found.node = target;
    }
    await task.sleep(1500);
    guest.node = target;
  } finally {
    if (!task.dead) delete guest.config.lock;
  }
  if (restarts) {
    task.log("start container on target node");
    guest.runtime = newContainerRuntime(platform, guest);
  }
  task.log("migration finished successfully (duration 00:00:03)");
}
