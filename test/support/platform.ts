// A simulated Proxmox VE host for a test, and its connection in the service's database.
import { HOST_SECRET } from "../../src/access/secretPurpose.js";
import { systemStopwatch } from "../../src/concurrency/stopwatch.js";
import { loadHostConnection } from "../../src/actions/host/hostConnection.js";
import type { HostConnection } from "../../src/hypervisor/connection.js";
import { createHypervisors } from "../../src/hypervisor/hypervisors.js";
import { proxmoxDriver } from "../../src/hypervisor/proxmox/driver.js";
import type { Hypervisors } from "../../src/hypervisor/hypervisor.js";
import { syncHost } from "../../src/inventory/syncHost.js";
import type { HostOptions, RunningHost } from "../../simulator/host.js";
import { startSimulatedHost } from "./host.js";
import { createTestServices, type TestParts, type TestServices } from "./services.js";

export const SECRET = "11111111-2222-4333-8444-555555555555";

/** Starts a host that runs its tasks as fast as it can. */
export function startTestHost(options: Partial<HostOptions> = {}): Promise<RunningHost> {
  return startSimulatedHost({
    name: "pvea",
    release: "9.2",
    tokens: [{ id: "root@pam!panel", secret: SECRET }],
    timeFactor: 500,
    // Hosts talk to each other at the pace of the machine, however fast their clocks run.
    tunnelPatienceMs: 24 * 3_600_000,
    stopGraceMs: 24 * 3_600_000,
    reportFault: (error) => {
      throw error;
    },
    ...options,
  });
}

/** Leads the driver to a host by a way of the test's own. */
export type Reach = (connection: HostConnection) => Promise<HostConnection>;

/** A net: a driver gives up, and for good, only where a test is about that. */
const PATIENCE_MS = 120_000;
/** No call under way ends by itself, also where a test moves the clock by hours; as long as a timer can wait. */
const CALL_MS = 20 * 24 * 3_600_000;
/** Shorter than a connection may take: a silent host is tried once. */
export const GREETING_MS = 60_000;

/**
 * Services whose driver reaches the hosts that `connectHost` adds.
 * @param stopwatch what its limits and pauses go by
 */
export async function createPlatformServices(
  parts: TestParts = {},
  reach: Reach = (connection) => Promise.resolve(connection),
  stopwatch = systemStopwatch,
): Promise<TestServices> {
  let services: TestServices | null = null;
  const load = async (hostId: number): Promise<HostConnection | null> => {
    const connection = services === null ? null : await loadHostConnection(services, hostId);
    return connection === null ? null : reach(connection);
  };
  // Simulated tasks end at once: they are looked at more often than real ones.
  const hypervisors: Hypervisors = createHypervisors(
    load,
    proxmoxDriver({
      isOpenAddress: () => true,
      firstPollMs: 5,
      longestPollMs: 50,
      connectMs: CALL_MS,
      callMs: CALL_MS,
      promptMs: CALL_MS,
      answerPauseMs: CALL_MS,
      // A host that failed is asked again at once, however long the failure took.
      firstProbeMs: 0,
      longestProbeMs: 0,
      patienceMs: PATIENCE_MS,
      credentialMs: PATIENCE_MS,
      greetingMs: GREETING_MS,
      stopwatch,
    }),
  );
  const made = await createTestServices({ ...parts, hypervisors });
  services = made;
  return {
    ...made,
    async close() {
      await hypervisors.close();
      await made.close();
    },
  };
}

/** Puts the host on record and syncs it. @returns its id */
export async function connectHost(services: TestServices, host: RunningHost): Promise<number> {
  const { rows } = await services.pool.query<{ id: number }>(
    `insert into host (name, hostname, port, user_name, token_id, secret_encrypted, tls_fingerprint)
     values ($1, '127.0.0.1', $2, 'root@pam', 'panel', $3, $4) returning id`,
    [host.name, host.port, services.secrets.seal(SECRET, HOST_SECRET), host.fingerprint],
  );
  const id = rows[0]?.id ?? 0;
  await syncHost(services, id, { thorough: true });
  return id;
}
