// Chooses the VMID of a new guest among those that neither a guest, a safety copy nor a job has.
import type { Pool, PoolClient } from "pg";
import type { Reads } from "../../context/context.js";
import { guestLockSql } from "../../core/guest/lock.js";
import { DroverError } from "../../errors/errors.js";
import { lowestFreeVmid, lowestFreeVmids } from "../../reads/models/nextVmid.js";

/** A VMID that was free a moment ago. */
interface PlannedVmid {
  readonly vmid: number;
  /** Whether somebody asked for this one: otherwise the service chose it, and any other does as well. */
  readonly asked: boolean;
}

/**
 * The planned VMID, or the lowest free one where the service's own choice was taken meanwhile. The caller holds the host's
 * reservation lock. @throws DroverError conflict `VMID_TAKEN`
 */
export async function takeVmid(client: PoolClient, hostId: number, { vmid, asked }: PlannedVmid): Promise<number> {
  if (!(await isVmidTaken(client, hostId, { vmid }))) return vmid;
  if (asked) throw vmidTaken(vmid);
  return lowestFreeVmid(client, hostId);
}

/**
 * For each the wanted VMID, or where none is wanted one of the lowest free ones; null where the wanted one is taken, by one
 * before it too, or none is free. The caller holds the host's reservation lock.
 */
export async function takeVmids(
  client: PoolClient,
  hostId: number,
  wanted: readonly (number | null)[],
): Promise<(number | null)[]> {
  const named = wanted.filter((vmid) => vmid !== null);
  const taken = new Set(named.length > 0 ? await takenOf(client, hostId, named) : []);
  const count = wanted.length - named.length;
  const free = count > 0 ? await lowestFreeVmids(client, hostId, { count, except: named }) : [];
  return wanted.map((vmid) => {
    if (vmid === null) return free.shift() ?? null;
    if (taken.has(vmid)) return null;
    taken.add(vmid);
    return vmid;
  });
}

async function takenOf(client: PoolClient, hostId: number, vmids: readonly number[]): Promise<number[]> {
  const taken = await takenVmids(
    client,
    vmids.map((vmid) => ({ hostId, vmid })),
  );
  return taken.map(({ vmid }) => vmid);
}

/** A VMID on a host. */
interface HostVmid {
  readonly hostId: number;
  readonly vmid: number;
}

/** Everything that would refuse a new guest there. A job's lock may outlast the guest that it deletes or moves away. */
const TAKEN = `
  select q.host_id as "hostId", q.vmid from unnest($1::int[], $2::int[]) q (host_id, vmid)
  where exists (select 1 from guest g where g.host_id = q.host_id and g.vmid = q.vmid and g.gone_at is null)
    or exists (select 1 from vmid_reservation r
      where r.host_id = q.host_id and r.vmid = q.vmid and r.job_id is distinct from $3)
    or exists (select 1 from resource_lock l where l.key = ${guestLockSql("q")} and l.job_id is distinct from $3)`;

/** Which of these a guest or a job has. @param exceptJobId a job whose own reservation and lock do not count */
export async function takenVmids(
  reads: Reads,
  asked: readonly HostVmid[],
  exceptJobId: number | null = null,
): Promise<HostVmid[]> {
  const values = [asked.map(({ hostId }) => hostId), asked.map(({ vmid }) => vmid), exceptJobId];
  return (await reads.query<HostVmid>({ name: "taken-vmids", text: TAKEN, values })).rows;
}

/** What is said of a VMID that is not free. */
export const vmidTaken = (vmid: number): DroverError =>
  new DroverError("conflict", `VMID ${vmid} is taken on this host`, { reason: "VMID_TAKEN" });

/** Whether a guest or a job has the VMID. @param exceptJobId as in `takenVmids` */
export async function isVmidTaken(
  database: Pool | PoolClient,
  hostId: number,
  { vmid, exceptJobId = null }: { vmid: number; exceptJobId?: number | null },
): Promise<boolean> {
  return (await takenVmids(database, [{ hostId, vmid }], exceptJobId)).length > 0;
}
