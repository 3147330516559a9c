// A simulated Proxmox VE host with the driver connected to it, and a VM template where a test needs one.
import assert from "node:assert/strict";
import type { HostConnection } from "../../../src/hypervisor/connection.js";
import type { GuestAddress } from "../../../src/hypervisor/guest.js";
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import type { TaskOutcome, Upid } from "../../../src/hypervisor/task.js";
import { ProxmoxClient } from "../../../src/hypervisor/proxmox/client.js";
import { driverOptions } from "../../../src/hypervisor/proxmox/options.js";
import { proxmoxHost } from "../../../src/hypervisor/proxmox/host.js";
import type { HostOptions, RunningHost } from "../../../simulator/host.js";
import { startSimulatedHost } from "../../support/host.js";
import { testedDriver, type Cleanup, type TestedDriver } from "./driver.js";

const SECRET = "aaaaaaaa-0000-4000-8000-000000000001";
export const PASSWORD = "Secr3t-root";
const SETTINGS = { isOpenAddress: () => true, firstPollMs: 5, longestPollMs: 50, repeatAfterMs: [20, 50] };

interface SimulatedHost {
  readonly host: RunningHost;
  readonly connection: HostConnection;
  readonly driver: TestedDriver;
}

/** An empty host, far faster than life. */
export async function simulated(
  cleanup: Cleanup,
  options: Pick<HostOptions, "release" | "nodes">,
): Promise<SimulatedHost> {
  const tokens = [{ id: "root@pam!panel", secret: SECRET }];
  const host = await startSimulatedHost({ name: "pvea", tokens, rootPassword: PASSWORD, timeFactor: 200, ...options });
  cleanup.add(() => host.close());
  const connection: HostConnection = {
    hostId: 1,
    name: "pvea",
    hostname: "127.0.0.1",
    port: host.port,
    user: "root@pam",
    credential: { kind: "token", tokenId: "panel", secret: SECRET },
    tlsFingerprint: host.fingerprint,
  };
  return { host, connection, driver: driverOf(cleanup, connection) };
}

/** The driver connected to it. */
export function driverOf(cleanup: Cleanup, connection: HostConnection): TestedDriver {
  const options = driverOptions(SETTINGS);
  const client = new ProxmoxClient(connection, true, options);
  cleanup.add(() => client.close());
  return testedDriver((call) => client.ask(call), options);
}

/** The same host by password. */
export const byPassword = (connection: HostConnection): HostConnection => ({
  ...connection,
  credential: { kind: "password", password: PASSWORD },
});

/** Makes a template with a disk and a cloud-init drive, which the port cannot. */
export async function makeTemplate(connection: HostConnection, template: GuestAddress): Promise<void> {
  const options = driverOptions(SETTINGS);
  const client = new ProxmoxClient(connection, true, options);
  const driver = proxmoxHost((call) => client.ask(call), options);
  const follow = async (path: string, parameters: Record<string, string | number>) => {
    const { data } = await client.ask({ method: "POST", path, parameters });
    await done(driver, Promise.resolve(String(data)));
  };
  try {
    const path = `/nodes/${template.node}/qemu`;
    const disks = { scsihw: "virtio-scsi-single", scsi0: "local:1,format=qcow2", ide2: "local:cloudinit" };
    const rest = { name: "tpl-debian", memory: 512, cores: 1, net0: "virtio,bridge=vmbr0", boot: "order=scsi0" };
    await follow(path, { vmid: template.vmid, ...disks, ...rest });
    await follow(`${path}/${template.vmid}/template`, {});
  } finally {
    await client.close();
  }
}

/** Follows a task that must end well; null: the platform was done at once. */
export async function done(driver: Hypervisor, upid: Promise<Upid | null>): Promise<TaskOutcome | null> {
  const started = await upid;
  if (started === null) return null;
  const outcome = await driver.waitForTask(started, { timeoutMs: 50_000 });
  assert.equal(outcome.exitStatus, "OK", outcome.type);
  return outcome;
}
