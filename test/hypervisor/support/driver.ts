// Connects the driver to a scripted host with time limits that suit tests, and ends both after each test.
import type { HostConnection } from "../../../src/hypervisor/connection.js";
import type { Hypervisor } from "../../../src/hypervisor/hypervisor.js";
import { createHypervisors } from "../../../src/hypervisor/hypervisors.js";
import type { DriverOptions } from "../../../src/hypervisor/proxmox/options.js";
import { startScriptedHost, type Play, type ScriptedHost } from "./scriptedHost.js";

/** Quick where a test waits for it, patient where only a busy machine can be slow. */
export const QUICK: Partial<DriverOptions> = {
  connectMs: 30_000,
  callMs: 20_000,
  patienceMs: 600,
  credentialMs: 600,
  answerPauseMs: 300,
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
): Promise<{ readonly host: ScriptedHost; readonly driver: Hypervisor }> {
  const host = await startScriptedHost(play);
  cleanup.add(() => host.close());
  return { host, driver: connected(cleanup, host.connection, settings) };
}

/** The driver connected to any host. */
export function connected(
  cleanup: Cleanup,
  connection: HostConnection,
  settings: Partial<DriverOptions> = {},
): Hypervisor {
  const hypervisors = createHypervisors(() => Promise.resolve(null), { ...QUICK, ...settings });
  const driver = hypervisors.connect(connection);
  cleanup.add(() => driver.close());
  return driver;
}
