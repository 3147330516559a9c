// Starts and stops the process of a guest that is coming in.
import { isMachineKnown } from "../qemu/machineTypes.js";
import { failure } from "../api.js";
import { newContainerRuntime, requireContainerBridges } from "../lxc/start.js";
import { launchProcess } from "../qemu/launch.js";
import { checkMtus, newRuntime } from "../qemu/start.js";
import { atLeast } from "../version.js";
import type { TunnelSession } from "./tunnelSession.js";

/** What the source demands of the target's process. */
interface IncomingStart {
  /** Machine type of the running source, such as `pc-i440fx-9.2+pve0`. */
  forcemachine: string;
  /** Drive name → drive string on the target. */
  nbd: Record<string, string>;
}

/**
 * Starts a VM that waits for its memory, or a container for good.
 * @throws ApiError 500 when it cannot run here
 */
export function startIncoming(session: TunnelSession, start: IncomingStart | null): object {
  if (start === null) {
    const guest = session.current();
    requireContainerBridges(session.call.platform, guest, (line) => session.task.log(line));
    guest.runtime = newContainerRuntime(session.call.platform, guest);
    return {};
  }
  checkMachine(session, start.forcemachine);
  return listen(session, start);
}

function checkMachine({ call, task }: TunnelSession, machine: string): void {
  if (isMachineKnown(call.platform, machine)) return;
  task.log(`kvm: unsupported machine type '${machine}'`);
  task.log("Use -machine help to list supported machines");
  throw failure("start failed: QEMU exited with code 1");
}

function listen(session: TunnelSession, { nbd, forcemachine }: IncomingStart): object {
  const { call, guest, task, sockets } = session;
  const current = session.current();
  for (const card of Object.keys(current.config).filter((key) => /^net\d+$/.test(key))) {
    if (!atLeast(call.platform.release, "9.2")) break;
    task.log(`netdev ${card}: not adding 'host_mtu' parameter for migration compat`);
  }
  checkMtus(call.platform, current);
  launchProcess(call.platform, current, (line) => task.log(line));
  current.runtime = { ...newRuntime(call.platform, current), qmpstatus: "inmigrate", machine: forcemachine };
  const memory = `/run/qemu-server/${guest.vmid}.migrate`;
  const disks = `/run/qemu-server/${guest.vmid}_nbd.migrate`;
  task.log(`migration listens on unix:${memory}`);
  for (const [drive, drivestr] of Object.entries(nbd)) {
    task.log(`storage migration listens on nbd:unix:${disks}:exportname=drive-${drive} volume:${drivestr}`);
  }
  sockets.add(memory).add(disks);
  return { memory, disks };
}

/** Ends a VM or container at once, whatever its state. */
export function stopIncoming(session: TunnelSession): void {
  session.current().runtime = null;
}
