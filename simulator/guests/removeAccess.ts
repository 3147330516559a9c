// Forgets the access rules and pool membership of a guest that is gone.
import type { AccessState } from "../state/access.js";

export function removeAccess(access: AccessState, vmid: number): void {
  access.rules = access.rules.filter((rule) => rule.path !== `/vms/${vmid}`);
  for (const pool of access.pools.values()) pool.vmids.delete(vmid);
}
