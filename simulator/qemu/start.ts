// Starts VMs: what refuses, what a start applies, and the running state it leaves.
import type { Identity } from "../api.js";
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { guestOn } from "../guests/lookup.js";
import type { Platform } from "../platform.js";
import type { Guest, Runtime } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import type { Worker } from "../tasks/worker.js";
import { applyPending } from "./applyPending.js";
import { cloudInitSlot, drivesOf } from "./drives.js";
import { findVolume } from "../storage/volumes.js";
import { launchProcess } from "./launch.js";
import { machineOf } from "./machineTypes.js";
import { memoryBytes, processorCount } from "./sizing.js";
import { hasSystem } from "./hasSystem.js";

const startMs = 650;
let lastGuestPid = 11_000;

/** Who starts which VM. */
interface StartOrder {
  node: string;
  vmid: number;
  identity: Pick<Identity, "label">;
  skipLock?: boolean;
}

/** Starts the task that starts the VM; what is wrong shows in the task only. */
export function launchStart(platform: Platform, order: StartOrder): string {
  const { node, vmid, identity } = order;
  return platform.tasks.start({
    node,
    type: "qmstart",
    id: String(vmid),
    identity,
    expectedMs: startMs,
    run: (task) =>
      platform.locks.hold(
        { type: "qemu", vmid },
        () => start(platform, guestOn(platform.state, "qemu", vmid, node), { task, skipLock: order.skipLock ?? false }),
        { log: (line) => task.log(line), signal: task.signal },
      ),
  });
}

async function start(platform: Platform, guest: Guest, how: { task: Worker; skipLock: boolean }): Promise<void> {
  const { task } = how;
  if (isTemplate(guest)) throw failure("you can't start a vm if it's a template");
  if (!how.skipLock) checkLock(guest, "suspended");
  if (guest.runtime !== null) throw failure(`VM ${guest.vmid} already running`);
  checkVolumes(platform, guest);
  checkProcessors(platform, guest);
  checkMtus(platform, guest);
  const resumes = guest.config.lock === "suspended";
  if (resumes) task.log("Resuming suspended VM");
  else applyPending(platform, guest);
  if (cloudInitSlot(platform.release, guest.config) !== null && !resumes) task.log("generating cloud-init ISO");
  launchProcess(platform, guest, (line) => task.log(line));
  await task.sleep(startMs);
  if (resumes) {
    delete guest.config.lock;
    delete guest.config.vmstate;
    task.log("Resumed VM, removing state");
  }
  guest.runtime = newRuntime(platform, guest);
}

const card = /^net\d+$/;
const usualMtu = 1500;

/** A card may not send larger frames than its bridge carries. @throws ApiError 500 */
export function checkMtus({ state }: Platform, { config, node }: Guest): void {
  for (const [key, value] of Object.entries(config).filter(([name]) => card.test(name))) {
    const stated = Number(/(?:^|,)mtu=(\d+)/.exec(value)?.[1] ?? "1");
    const name = /(?:^|,)bridge=([^,]+)/.exec(value)?.[1];
    const carried = state.nodes.get(node)?.network.find(({ iface }) => iface === name)?.mtu ?? usualMtu;
    if (stated > carried) throw failure(`netdev ${key}: MTU '${stated}' is bigger than the bridge MTU '${carried}'`);
  }
}

/** The process of a VM that has just been started. */
export function newRuntime(platform: Platform, guest: Guest): Runtime {
  lastGuestPid += 7;
  return {
    pid: lastGuestPid,
    startedAtMs: platform.clock.now(),
    qmpstatus: "running",
    cpu: 0.02,
    memoryBytes: hasSystem(platform, guest) ? Math.round(memoryBytes(guest.config) * 0.45) : 0,
    machine: machineOf(platform, guest.config),
  };
}

function checkVolumes(platform: Platform, guest: Guest): void {
  for (const [, drive] of drivesOf(platform.release, guest.config)) {
    if (drive.file === "none" || drive.file === "cdrom" || drive.file.startsWith("/")) continue;
    if (findVolume(platform, drive.file, guest.node) === null) throw failure(`volume '${drive.file}' does not exist`);
  }
}

function checkProcessors(platform: Platform, guest: Guest): void {
  const most = platform.state.nodes.get(guest.node)?.cpus ?? 1;
  const wanted = processorCount(guest.config);
  if (wanted > most) throw failure(`MAX ${most} vcpus allowed per VM on this node`);
}
