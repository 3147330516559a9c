// Chooses the VMID of a new guest among those that neither a guest, a safety copy nor a queued creation has.
import type { Pool, PoolClient } from "pg";
import { DroverError } from "../errors.js";
import { lowestFreeVmid } from "../reads/nextVmid.js";

const TAKEN = `
  select exists (select 1 from guest where host_id = $1 and vmid = $2 and gone_at is null)
    or exists (select 1 from vmid_reservation where host_id = $1 and vmid = $2 and job_id is distinct from $3) as taken`;

/** The wanted VMID, or the lowest free one. The caller holds the host's reservation lock. @throws DroverError conflict `VMID_TAKEN` */
export async function takeVmid(client: PoolClient, hostId: number, wanted: number | null): Promise<number> {
  if (wanted === null) return lowestFreeVmid(client, hostId);
  if (!(await isVmidTaken(client, hostId, { vmid: wanted }))) return wanted;
  throw new DroverError("conflict", `VMID ${wanted} is taken on this host`, { reason: "VMID_TAKEN" });
}

/** Whether a guest or a job has the VMID. @param exceptJobId a job whose own reservation does not count */
export async function isVmidTaken(
  database: Pool | PoolClient,
  hostId: number,
  { vmid, exceptJobId = null }: { vmid: number; exceptJobId?: number | null },
): Promise<boolean> {
  const { rows } = await database.query<{ taken: boolean }>(TAKEN, [hostId, vmid, exceptJobId]);
  return rows[0]?.taken !== false;
}
