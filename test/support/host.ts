// Simulated Proxmox VE hosts whose certificates are made once for all that run one after the other.
import { makeCertificates, startHost, type HostOptions, type RunningHost } from "../../simulator/host.js";
import type { HostCertificates } from "../../simulator/transport/certificates.js";

/** Certificates of hosts that are closed, by the names of their nodes. */
const unused = new Map<string, HostCertificates[]>();

/** Starts a host as `startHost` does. Making keys takes seconds: it has the certificates of a closed host with the same nodes. */
export async function startSimulatedHost(options: HostOptions): Promise<RunningHost> {
  if (options.certificates !== undefined) return startHost(options);
  const nodes = options.nodes ?? [options.name];
  const certificates = unused.get(nodes.join())?.pop() ?? (await makeCertificates(nodes));
  const host = await startHost({ ...options, certificates });
  return {
    ...host,
    async close() {
      await host.close();
      unused.set(nodes.join(), [...(unused.get(nodes.join()) ?? []), certificates]);
    },
  };
}
