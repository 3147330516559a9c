// Stops VMs, by request or by force, and says in the task log what the guest made of it.
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { findGuest } from "../guests/lookup.js";
import type { Platform } from "../platform.js";
import type { Guest } from "../state/guest.js";
import { TaskInterrupted, TaskKilled, type Worker } from "../tasks/worker.js";
import { applyPending } from "./applyPending.js";
import { newRuntime } from "./start.js";
import { hasSystem } from "./hasSystem.js";

const agentTimeoutMs = 3000;
const guestShutdownMs = 4000;
const defaultTimeoutSeconds = 60;

/** How to stop a VM. */
interface StopOrder {
  node: string;
  vmid: number;
  /** False: pull the plug. */
  graceful: boolean;
  /** After a shutdown that timed out, pull the plug. */
  force: boolean;
  timeoutSeconds?: number | undefined;
  skipLock?: boolean;
}

/** Stops a VM under its lock; one that does not run is left as it is. */
export async function stopVm(platform: Platform, order: StopOrder, task: Worker): Promise<void> {
  const { vmid, node } = order;
  await platform.locks.hold(
    { type: "qemu", vmid },
    async () => {
      const guest = findGuest(platform.state, "qemu", vmid, node);
      if (guest === null) throw failure(`unable to find configuration file for VM ${vmid} on node '${node}'`);
      await stopGuest(platform, guest, { ...order, task });
    },
    { log: (line) => task.log(line), signal: task.signal },
  );
}

async function stopGuest(platform: Platform, guest: Guest, order: StopOrder & { task: Worker }): Promise<void> {
  if (guest.runtime === null) return;
  if (order.skipLock !== true) checkLock(guest);
  const { task } = order;
  if (!order.graceful) {
    await task.sleep(150);
    return powerOff(platform, guest);
  }
  if (await shutsDown(platform, guest, order)) return powerOff(platform, guest);
  if (!order.force) throw failure("VM quit/powerdown failed - got timeout");
  task.log("VM still running - terminating now with SIGTERM");
  await task.sleepThroughStop(1000);
  powerOff(platform, guest);
}

/** True when the guest turned itself off in time. A stop request to the task only cuts the agent's turn short. */
async function shutsDown(platform: Platform, guest: Guest, order: StopOrder & { task: Worker }): Promise<boolean> {
  const { task } = order;
  const reacts = hasSystem(platform, guest);
  const down = Number(/(?:^|,)down=(\d+)/.exec(guest.config.startup ?? "")?.[1] ?? defaultTimeoutSeconds);
  const timeoutMs = (order.timeoutSeconds ?? down) * 1000;
  if (!reacts && agentEnabled(guest)) await waitForAgent(guest, task);
  if (reacts && guestShutdownMs <= timeoutMs) {
    await task.sleepThroughStop(guestShutdownMs);
    return true;
  }
  await task.sleepThroughStop(timeoutMs);
  return false;
}

function agentEnabled(guest: Guest): boolean {
  return /^(?:1|enabled=1)/.test(guest.config.agent ?? "");
}

async function waitForAgent(guest: Guest, task: Worker): Promise<void> {
  try {
    await task.sleep(agentTimeoutMs);
    task.log(`QEMU Guest Agent is not running - VM ${guest.vmid} qga command 'guest-ping' failed - got timeout`);
  } catch (error) {
    if (error instanceof TaskKilled || !(error instanceof TaskInterrupted)) throw error;
    task.log(`QEMU Guest Agent is not running - ${error.message}`);
  }
}

/** The process is gone; what waited for it is in force now. */
function powerOff(platform: Platform, guest: Guest): void {
  guest.runtime = null;
  applyPending(platform, guest);
}

/** Shuts a VM down and starts it again in the same place, with pending changes applied. */
export async function rebootVm(platform: Platform, order: StopOrder, task: Worker): Promise<void> {
  await stopVm(platform, order, task);
  const guest = findGuest(platform.state, "qemu", order.vmid, order.node);
  if (guest !== null && guest.runtime === null) guest.runtime = newRuntime(platform, guest);
}
