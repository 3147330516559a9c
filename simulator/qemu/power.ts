// Answers the power endpoints of VMs: what is refused at once, and the task for the rest.
import type { ApiAnswer } from "../api.js";
import { failure, parameterError } from "../api.js";
import { checkLock } from "../guests/config.js";
import { answerWithTask, startGuestTask } from "../guests/guestTask.js";
import { fileRequest } from "../guests/highAvailability.js";
import { findGuest, guestOn, nodeOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer, vmidOf } from "../route.js";
import { superuser } from "../state/access.js";
import type { Guest } from "../state/guest.js";
import type { Worker } from "../tasks/worker.js";
import { launchStart } from "./start.js";
import { rebootVm, stopVm } from "./stop.js";
import { saveState } from "./suspend.js";

const rootOnly = [
  "skiplock",
  "keepActive",
  "migratedfrom",
  "stateuri",
  "machine",
  "targetstorage",
  "migration_network",
  "migration_type",
  "force-cpu",
  "nets-host-mtu",
  "nocheck",
  "with-conntrack-state",
];

function checkRootOnly(call: Call): void {
  if (call.identity.label === superuser) return;
  const given = rootOnly.find((name) => call.parameters.has(name) && call.parameters.text(name) !== "0");
  if (given !== undefined) throw parameterError({ [given]: "Only root may use this option." });
}

function present(call: Call): Guest | null {
  return findGuest(call.platform.state, "qemu", vmidOf(call), nodeOf(call));
}

function checkRunning(call: Call): void {
  const guest = present(call);
  if (guest === null)
    throw failure(`unable to find configuration file for VM ${vmidOf(call)} on node '${nodeOf(call)}'`);
  if (guest.runtime === null) throw failure(`VM ${vmidOf(call)} not running`);
}

/** A guest that high availability manages is only asked for. */
function viaHighAvailability(call: Call, verb: "start" | "stop"): ApiAnswer | null {
  const guest = present(call);
  if (guest === null || guest.hastate === null) return null;
  return fileRequest(call, guest, { verb, act: () => void ACTS[verb](call, guest) });
}

const ACTS = {
  start: ({ platform }: Call, { node, vmid }: Guest) =>
    launchStart(platform, { node, vmid, identity: { label: superuser } }),
  stop: (call: Call, { node, vmid }: Guest) =>
    startGuestTask(call, {
      type: "qmshutdown",
      expectedMs: 4000,
      run: (task) => stopVm(call.platform, { node, vmid, graceful: true, force: true }, task),
    }),
};

export function start(call: Call): ApiAnswer {
  checkRootOnly(call);
  const order = {
    node: nodeOf(call),
    vmid: vmidOf(call),
    identity: call.identity,
    skipLock: call.parameters.flag("skiplock"),
  };
  return viaHighAvailability(call, "start") ?? answer(launchStart(call.platform, order));
}

export function stop(call: Call): ApiAnswer {
  checkRootOnly(call);
  const { parameters, platform } = call;
  const managed = viaHighAvailability(call, "stop");
  if (managed !== null) return managed;
  const order = {
    node: nodeOf(call),
    vmid: vmidOf(call),
    graceful: false,
    force: true,
    skipLock: parameters.flag("skiplock"),
  };
  return answerWithTask(call, {
    type: "qmstop",
    expectedMs: 300,
    run: async (task) => {
      if (parameters.flag("overrule-shutdown")) await overrule(call, task);
      await stopVm(platform, order, task);
    },
  });
}

/** Kills the shutdown tasks of this VM that the caller may stop. */
async function overrule(call: Call, task: Worker): Promise<void> {
  const { tasks, permissions } = call.platform;
  const mayAll = permissions.has(call.identity.label, `/nodes/${nodeOf(call)}`, ["Sys.Modify"]);
  const targets = tasks
    .active()
    .filter((other) => other.type === "qmshutdown" && other.id === String(vmidOf(call)))
    .filter((other) => mayAll || other.user.split("!")[0] === call.identity.user);
  await Promise.all(targets.map((other) => tasks.stop(other.upid)));
  if (targets.length > 0) task.log(`overruled qmshutdown tasks: ${targets.map((other) => other.upid).join(", ")}`);
}

export function shutdown(call: Call): ApiAnswer {
  checkRootOnly(call);
  const { parameters, platform } = call;
  const force = parameters.flag("forceStop");
  const paused = present(call)?.runtime?.qmpstatus === "paused";
  if (paused && !force) throw failure("VM is paused - cannot shutdown");
  const managed = viaHighAvailability(call, "stop");
  if (managed !== null) return managed;
  const order = {
    node: nodeOf(call),
    vmid: vmidOf(call),
    graceful: !paused,
    force,
    timeoutSeconds: parameters.number("timeout"),
    skipLock: parameters.flag("skiplock"),
  };
  return answerWithTask(call, { type: "qmshutdown", expectedMs: 4000, run: (task) => stopVm(platform, order, task) });
}

export function reboot(call: Call): ApiAnswer {
  const { parameters, platform } = call;
  if (present(call)?.runtime?.qmpstatus === "paused") throw failure("VM is paused - cannot shutdown");
  checkRunning(call);
  const order = {
    node: nodeOf(call),
    vmid: vmidOf(call),
    graceful: true,
    force: false,
    timeoutSeconds: parameters.number("timeout"),
  };
  return answerWithTask(call, { type: "qmreboot", expectedMs: 5000, run: (task) => rebootVm(platform, order, task) });
}

/** Work on a running VM's monitor, under its lock. */
function monitorTask(call: Call, type: string, act: (guest: Guest) => void): ApiAnswer {
  checkRootOnly(call);
  const { state, locks } = call.platform;
  const guest = { type: "qemu", vmid: vmidOf(call) } as const;
  return answerWithTask(call, {
    type,
    expectedMs: 100,
    run: (task) =>
      locks.hold(guest, async () => {
        const current = guestOn(state, "qemu", guest.vmid, nodeOf(call));
        if (!call.parameters.flag("skiplock")) checkLock(current, "backup");
        await task.sleep(50);
        act(current);
      }),
  });
}

export function reset(call: Call): ApiAnswer {
  checkRootOnly(call);
  checkRunning(call);
  return monitorTask(call, "qmreset", () => {});
}

export function suspend(call: Call): ApiAnswer {
  checkRootOnly(call);
  checkRunning(call);
  if (call.parameters.flag("todisk"))
    return answerWithTask(call, { type: "qmsuspend", expectedMs: 3000, run: saveState(call) });
  return monitorTask(call, "qmpause", (guest) => {
    if (guest.runtime !== null) guest.runtime.qmpstatus = "paused";
  });
}

export function resume(call: Call): ApiAnswer {
  checkRootOnly(call);
  const suspended = present(call)?.config.lock === "suspended";
  if (!suspended) checkRunning(call);
  if (!suspended)
    return monitorTask(call, "qmresume", (guest) => {
      if (guest.runtime !== null) guest.runtime.qmpstatus = "running";
    });
  const { node, vmid } = { node: nodeOf(call), vmid: vmidOf(call) };
  return answerWithTask(call, {
    type: "qmresume",
    expectedMs: 800,
    run: async (task) => {
      const upid = launchStart(call.platform, { node, vmid, identity: call.identity });
      await call.platform.tasks.settled(upid);
      task.log("Resumed VM, removing state");
    },
  });
}
