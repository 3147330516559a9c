// Decides at which address, and with which certificate, the source of a move finds the target's node.
import type { NodeEndpoint } from "../hypervisor/observed.js";
import type { TargetHost } from "../store/host/record.js";

/**
 * Members of a cluster are reached at their own addresses, a standalone node where the service reaches it: there the pinned
 * certificate is the one that is shown, whatever the node says of its files.
 */
export function endpointOf(
  { hostname, port, isCluster, tlsFingerprint }: Omit<TargetHost, "name" | "allowsUnrestricted">,
  said: Omit<NodeEndpoint, "port">,
): NodeEndpoint {
  if (isCluster) return { ...said, port };
  return { host: hostname, port, fingerprint: tlsFingerprint ?? said.fingerprint };
}
