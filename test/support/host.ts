// Simulated Proxmox VE hosts whose certificates are made once a run.
import { makeCertificates, startHost, type HostOptions, type RunningHost } from "../../simulator/host.js";
import type { HostCertificates } from "../../simulator/transport/certificates.js";

const certificates = new Map<string, Promise<HostCertificates>>();

/** Making keys takes seconds: hosts with the same nodes have the same. */
function certificatesOf(nodes: readonly string[]): Promise<HostCertificates> {
  const known = certificates.get(nodes.join()) ?? makeCertificates(nodes);
  certificates.set(nodes.join(), known);
  return known;
}

/** Starts a host as `startHost` does, with the certificates of all hosts with these nodes. */
export async function startSimulatedHost(options: HostOptions): Promise<RunningHost> {
  return startHost({ certificates: await certificatesOf(options.nodes ?? [options.name]), ...options });
}
