// Asks whether a host can change anything: the configuration files of a cluster's minority are read-only.
import type { Hypervisor } from "../hypervisor/hypervisor.js";
import { isPlatformError, PlatformReason, withoutQuorum } from "../hypervisor/platformError.js";

/** A host that does not tell this connection is taken to have it: it refuses by itself what it cannot do. */
export async function hasQuorum(hypervisor: Hypervisor): Promise<boolean> {
  try {
    return (await hypervisor.cluster()).quorate;
  } catch (error) {
    if (isPlatformError(error, PlatformReason.FORBIDDEN, PlatformReason.REFUSED)) return true;
    throw error;
  }
}

/** @throws DroverError conflict `NO_QUORUM`; platform */
export async function requireQuorum(hypervisor: Hypervisor): Promise<void> {
  if (await hasQuorum(hypervisor)) return;
  throw withoutQuorum();
}
