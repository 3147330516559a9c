// A simulated Proxmox VE host for a test, and its connection in the service's database.
import { loadHostConnection } from "../../src/actions/hostConnection.js";
import { HOST_SECRET } from "../../src/actions/hostConnection.js";
import { createHypervisors } from "../../src/hypervisor/hypervisors.js";
import type { Hypervisors } from "../../src/hypervisor/hypervisor.js";
import { syncHost } from "../../src/inventory/syncHost.js";
import { makeCertificates, startHost, type HostOptions, type RunningHost } from "../../simulator/host.js";
import type { HostCertificates } from "../../simulator/transport/certificates.js";
import { createTestServices, type TestParts, type TestServices } from "./services.js";

const SECRET = "11111111-2222-4333-8444-555555555555";

const certificates = new Map<string, Promise<HostCertificates>>();

/** Making keys takes seconds: hosts of one name have the same in a whole run. */
function certificatesOf(nodes: readonly string[]): Promise<HostCertificates> {
  const known = certificates.get(nodes.join()) ?? makeCertificates(nodes);
  certificates.set(nodes.join(), known);
  return known;
}

/** Starts a host that runs its tasks as fast as it can. */
export async function startTestHost(options: Partial<HostOptions> = {}): Promise<RunningHost> {
  const { name = "pvea", nodes = [name] } = options;
  return startHost({
    name,
    certificates: await certificatesOf(nodes),
    release: "9.2",
    tokens: [{ id: "root@pam!panel", secret: SECRET }],
    timeFactor: 500,
    reportFault: (error) => {
      throw error;
    },
    ...options,
  });
}

/** Services whose driver reaches the hosts that `connectHost` adds. */
export async function createPlatformServices(parts: TestParts = {}): Promise<TestServices> {
  let services: TestServices | null = null;
  const load = (hostId: number): ReturnType<typeof loadHostConnection> =>
    services === null ? Promise.resolve(null) : loadHostConnection(services, hostId);
  // Simulated tasks end at once: they are looked at more often than real ones.
  const hypervisors: Hypervisors = createHypervisors(load, {
    firstPollMs: 5,
    longestPollMs: 50,
    patienceMs: 3000,
  });
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
