// Starts containers and describes the process that runs then.
import type { Identity } from "../api.js";
import { failure } from "../api.js";
import { checkLock } from "../guests/config.js";
import { hasBridge } from "../guests/bridges.js";
import { guestOn } from "../guests/lookup.js";
import type { Platform } from "../platform.js";
import type { Guest, Runtime } from "../state/guest.js";
import { isTemplate } from "../state/guest.js";
import { applyContainerPending } from "./applyPending.js";
import { attachmentOf, isInterfaceName } from "./network.js";
import { containerMemoryBytes } from "./sizing.js";

const startMs = 900;
let lastContainerPid = 31_000;

/** Starts the task that starts the container; it holds the container's lock file to its end. */
export function launchContainerStart(
  platform: Platform,
  order: { node: string; vmid: number; identity: Pick<Identity, "label">; skipLock?: boolean },
): string {
  const { node, vmid, identity } = order;
  return platform.tasks.start({
    node,
    type: "vzstart",
    id: String(vmid),
    identity,
    expectedMs: startMs,
    run: (task) =>
      platform.locks.hold(
        { type: "lxc", vmid },
        async () => {
          const guest = guestOn(platform.state, "lxc", vmid, node);
          if (isTemplate(guest)) throw failure("you can't start a CT if it's a template");
          if (order.skipLock !== true) checkLock(guest, "mounted");
          applyContainerPending(platform, guest);
          requireContainerBridges(platform, guest, (line) => task.log(line));
          await task.sleep(startMs);
          // Of two starts the second finds it started, and ends well.
          guest.runtime ??= newContainerRuntime(platform, guest);
        },
        { log: (line) => task.log(line), signal: task.signal },
      ),
  });
}

/** @param log what the container's own start says. @throws ApiError 500 as the task ends */
export function requireContainerBridges({ state, release }: Platform, guest: Guest, log: (line: string) => void): void {
  const bridges = Object.entries(guest.config)
    .filter(([key]) => isInterfaceName(key))
    .flatMap(([, value]) => attachmentOf(release, value).bridge ?? []);
  const missing = bridges.find((bridge) => !hasBridge(state, guest.node, bridge));
  if (missing === undefined) return;
  log(`bridge '${missing}' does not exist`);
  log("lxc_create_network_priv: No such device - Failed to create network device");
  log(`__lxc_start: Failed to spawn container "${guest.vmid}"`);
  throw failure(`startup for container '${guest.vmid}' failed`);
}

/** The process of a container that has just been started. */
export function newContainerRuntime(platform: Platform, guest: Guest): Runtime {
  lastContainerPid += 9;
  return {
    pid: lastContainerPid,
    startedAtMs: platform.clock.now(),
    qmpstatus: "running",
    cpu: 0.01,
    memoryBytes: Math.round(containerMemoryBytes(guest.config) * 0.2),
    machine: null,
  };
}
