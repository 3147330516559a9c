// Answers the power endpoints of containers: what is refused at once, and the task for the rest.
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import { checkLock } from "../guests/config.js";
import { answerWithTask, startGuestTask } from "../guests/guestTask.js";
import { fileRequest } from "../guests/highAvailability.js";
import { findGuest, guestOn, nodeOf } from "../guests/lookup.js";
import type { Platform } from "../platform.js";
import type { Call } from "../route.js";
import { answer, vmidOf } from "../route.js";
import { superuser } from "../state/access.js";
import type { Guest } from "../state/guest.js";
import { requireQuorum } from "../state/quorum.js";
import type { Worker } from "../tasks/worker.js";
import { atLeast } from "../version.js";
import { applyContainerPending } from "./applyPending.js";
import { launchContainerStart, newContainerRuntime } from "./start.js";

const shutdownMs = 800;
const stopMs = 400;

function present(call: Call): Guest | null {
  return findGuest(call.platform.state, "lxc", vmidOf(call), nodeOf(call));
}

function isRunning(call: Call): boolean {
  return (present(call)?.runtime ?? null) !== null;
}

function checkSkipLock(call: Call): void {
  if (call.parameters.flag("skiplock") && call.identity.label !== superuser)
    throw parameterError({ skiplock: "Only root may use this option." });
}

/**
 * Begins a task that starts, stops or suspends the container; its lock file is held to the end of the task. Before 8.2 the
 * request itself waits for the lock, later ones are answered at once and the task waits.
 * @throws ApiError 500 when the request waits and the lock does not come free in time
 */
async function beginPower(call: Call, begin: () => string): Promise<ApiAnswer> {
  const { locks, release } = call.platform;
  if (!atLeast(release, "8.4")) await locks.hold({ type: "lxc", vmid: vmidOf(call) }, () => {});
  return answer(begin());
}

/** Work on the container under its lock, once a lock in the configuration has been ruled out. */
function underLock(call: Call, task: Worker, act: (guest: Guest) => Promise<void>): Promise<void> {
  const { platform } = call;
  const target = { type: "lxc", vmid: vmidOf(call) } as const;
  return platform.locks.hold(
    target,
    () => {
      const guest = guestOn(platform.state, "lxc", target.vmid, nodeOf(call));
      if (!call.parameters.flag("skiplock")) checkLock(guest);
      return act(guest);
    },
    { log: (line) => task.log(line), signal: task.signal },
  );
}

export function startContainer(call: Call): ApiAnswer | Promise<ApiAnswer> {
  checkSkipLock(call);
  if (isRunning(call)) throw failure(`CT ${vmidOf(call)} already running`);
  requireQuorum(call.platform.state);
  const guest = present(call);
  if (guest?.hastate != null) return requested(call, guest, "start");
  const order = {
    node: nodeOf(call),
    vmid: vmidOf(call),
    identity: call.identity,
    skipLock: call.parameters.flag("skiplock"),
  };
  return beginPower(call, () => launchContainerStart(call.platform, order));
}

/** A container that high availability manages is only asked for. */
function requested(call: Call, guest: Guest, verb: "start" | "stop"): ApiAnswer {
  const { node, vmid } = guest;
  const order = { node, vmid, identity: { label: superuser } };
  const act = (): void => {
    if (verb === "stop") guest.runtime = null;
    else if (guest.runtime === null) launchContainerStart(call.platform, order);
  };
  return fileRequest(call, guest, { verb, act });
}

function stopTask(call: Call, type: string, durationMs: number): ApiAnswer | Promise<ApiAnswer> {
  checkSkipLock(call);
  const guest = present(call);
  if (guest === null || guest.runtime === null) throw failure(`CT ${vmidOf(call)} not running`);
  if (guest.hastate !== null) return requested(call, guest, "stop");
  const run = async (task: Worker): Promise<void> => {
    if (call.parameters.flag("overrule-shutdown")) await overrule(call, task);
    await underLock(call, task, async (current) => {
      // Whatever held the lock may have stopped it.
      if (current.runtime === null) return;
      await task.sleep(durationMs);
      current.runtime = null;
      applyContainerPending(call.platform, current);
    });
  };
  return beginPower(call, () => startGuestTask(call, { type, expectedMs: durationMs, run }));
}

async function overrule(call: Call, task: Worker): Promise<void> {
  const { tasks } = call.platform;
  const targets = tasks.active().filter((other) => other.type === "vzshutdown" && other.id === String(vmidOf(call)));
  await Promise.all(targets.map((other) => tasks.stop(other.upid)));
  if (targets.length > 0) task.log(`overruled vzshutdown tasks: ${targets.map((other) => other.upid).join(", ")}`);
}

export function stopContainer(call: Call): ApiAnswer | Promise<ApiAnswer> {
  return stopTask(call, "vzstop", stopMs);
}

export function shutdownContainer(call: Call): ApiAnswer | Promise<ApiAnswer> {
  return stopTask(call, "vzshutdown", shutdownMs);
}

export function rebootContainer(call: Call): ApiAnswer {
  if (!isRunning(call)) throw failure(`VM ${vmidOf(call)} not running`);
  return answerWithTask(call, {
    type: "vzreboot",
    expectedMs: shutdownMs + 900,
    run: (task) =>
      underLock(call, task, async (guest) => {
        await task.sleep(shutdownMs);
        guest.runtime = null;
        applyContainerPending(call.platform, guest);
        await task.sleep(900);
        restart(call.platform, guest);
      }),
  });
}

function restart(platform: Platform, guest: Guest): void {
  guest.runtime = newContainerRuntime(platform, guest);
}

/** Checkpointing needs a program that Proxmox VE does not bring along. */
export function suspendContainer(call: Call): Promise<ApiAnswer> {
  if (!isRunning(call)) throw failure(`CT ${vmidOf(call)} not running`);
  const command = `lxc-checkpoint -n ${vmidOf(call)} -s -D /var/lib/vz/dump`;
  const run = (task: Worker): Promise<void> =>
    underLock(call, task, async () => {
      await task.sleep(200);
      throw failure(`command '${command}' failed: exit code 1`);
    });
  return beginPower(call, () => startGuestTask(call, { type: "vzsuspend", expectedMs: 300, run }));
}

export function resumeContainer(call: Call): ApiAnswer {
  if (isRunning(call)) throw failure(`CT ${vmidOf(call)} already running`);
  const command = `lxc-checkpoint -n ${vmidOf(call)} -r --foreground -D /var/lib/vz/dump`;
  return answerWithTask(call, {
    type: "vzresume",
    expectedMs: 300,
    run: async (task) => {
      await task.sleep(200);
      throw failure(`command '${command}' failed: exit code 1`);
    },
  });
}
