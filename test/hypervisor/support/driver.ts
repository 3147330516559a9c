// Connects the driver to a scripted host with time limits that suit tests, and ends both after each test.
import type { HostConnection } from "../../../src/hypervisor/connection.js";
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import type { GuestAddress } from "../../../src/hypervisor/guest.js";
import { ProxmoxClient, type Ask } from "../../../src/hypervisor/proxmox/client.js";
import type { ConfigChange } from "../../../src/hypervisor/proxmox/config/configChange.js";
import {
  cloneTemplate,
  createContainer,
  type CloneRequest,
  type ContainerRequest,
} from "../../../src/hypervisor/proxmox/install/create.js";
import { configure, resize } from "../../../src/hypervisor/proxmox/guests.js";
import { proxmoxHost } from "../../../src/hypervisor/proxmox/host.js";
import { driverOptions, type DriverOptions } from "../../../src/hypervisor/proxmox/options.js";
import type { Upid } from "../../../src/hypervisor/task.js";
import { startScriptedHost, type Play, type ScriptedHost } from "./scriptedHost.js";

/** Limits that no test reaches, unless it is about them. */
export const LONG_MS = 120_000;

/** Quick where a test waits for it, patient where only a busy machine can be slow. */
export const QUICK: Partial<DriverOptions> = {
  isOpenAddress: () => true,
  connectMs: LONG_MS,
  callMs: LONG_MS,
  patienceMs: LONG_MS,
  credentialMs: LONG_MS,
  answerPauseMs: LONG_MS,
  repeatAfterMs: [5, 10],
  noticeableMs: 0,
  firstProbeMs: 60_000,
  longestProbeMs: 60_000,
  firstPollMs: 5,
  longestPollMs: 20,
};

/** Ends what a test opened, last opened first. */
export class Cleanup {
  readonly #closers: (() => Promise<unknown>)[] = [];

  add(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  async run(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) await close();
  }
}

/** A scripted host and the driver connected to it. */
export async function scripted(
  cleanup: Cleanup,
  play: Play,
  settings: Partial<DriverOptions> = {},
): Promise<{ readonly host: ScriptedHost; readonly driver: TestedDriver }> {
  const host = await startScriptedHost(play);
  cleanup.add(() => host.close());
  return { host, driver: connected(cleanup, host.connection, settings) };
}

/** The driver connected to any host. */
export function connected(
  cleanup: Cleanup,
  connection: HostConnection,
  settings: Partial<DriverOptions> = {},
): TestedDriver {
  const options = driverOptions({ ...QUICK, ...settings });
  const client = new ProxmoxClient(connection, true, options);
  cleanup.add(() => client.close());
  return testedDriver((call) => client.ask(call), options);
}

/** The port, and requests that its verbs are made of. */
export interface TestedDriver extends Hypervisor {
  configure(guest: GuestAddress, change: ConfigChange): Promise<Upid | null>;
  resize(guest: GuestAddress, disk: string, sizeBytes: number): Promise<Upid | null>;
  clone(request: CloneRequest): Promise<Upid>;
  createContainer(request: ContainerRequest): Promise<Upid>;
}

export const testedDriver = (ask: Ask, options: DriverOptions): TestedDriver => ({
  ...proxmoxHost(ask, options),
  configure: (guest, change) => configure(ask, guest, change),
  resize: (guest, disk, sizeBytes) => resize(ask, guest, { disk, sizeBytes }),
  clone: (request) => cloneTemplate(ask, request),
  createContainer: (request) => createContainer(ask, request),
});
