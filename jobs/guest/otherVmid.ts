// Replaces a VMID that the service chose and the host refuses by the next one, which the job holds from then on in place of the first.
import type { Pool, PoolClient } from "pg";
import { unlessOvertaken } from "../../src/placement/overtaken.js";
import { inTransaction } from "../../src/db/transaction.js";
import { lowestFreeVmid } from "../../src/reads/models/nextVmid.js";
import * as capacity from "../../src/store/capacity.js";
import type { Lease } from "../../src/store/job/lease.js";
import type { Renumbering } from "../../src/store/vmid.js";
import * as vmidRefusals from "../../src/store/vmidRefusal.js";
import { lost } from "../engine/journal.js";

/** A VMID that a host has for somebody else. */
interface Refused {
  readonly hostId: number;
  readonly vmid: number;
}

/** Writes that the job has the other VMID. @returns whether the lease is held */
type Renumber = (client: PoolClient, lease: Lease, renumbering: Renumbering) => Promise<boolean>;

/**
 * The refused VMID is on record from then on, also when there is no other. All else is one transaction: whoever goes on with the job
 * finds it with either of the two, and holds no more than that one.
 * @returns the other VMID @throws DroverError conflict `NO_FREE_VMID`; Fenced
 */
export async function takeOtherVmid(
  pool: Pool,
  lease: Lease,
  { hostId, vmid }: Refused,
  renumber: Renumber,
): Promise<number> {
  await vmidRefusals.record(pool, { hostId, vmids: [vmid] });
  return unlessOvertaken(() =>
    inTransaction(pool, async (client) => {
      await capacity.lockHost(client, hostId);
      const to = await lowestFreeVmid(client, hostId);
      if (!(await renumber(client, lease, { hostId, from: vmid, to }))) throw lost(lease);
      return to;
    }),
  );
}
