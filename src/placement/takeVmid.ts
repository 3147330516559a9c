// Chooses the VMID of a new guest among those that neither a guest, a safety copy nor a job has.
import type { Pool, PoolClient } from "pg";
import { DroverError } from "../errors/errors.js";
import { lowestFreeVmid, lowestFreeVmids } from "../reads/models/nextVmid.js";
import * as vmids from "../store/vmid.js";

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

async function takenOf(client: PoolClient, hostId: number, named: readonly number[]): Promise<number[]> {
  const taken = await vmids.taken(
    client,
    named.map((vmid) => ({ hostId, vmid })),
  );
  return taken.map(({ vmid }) => vmid);
}

/** What is said of a VMID that is not free. */
export const vmidTaken = (vmid: number): DroverError =>
  new DroverError("conflict", `VMID ${vmid} is taken on this host`, { reason: "VMID_TAKEN" });

/** Whether a guest or a job has the VMID. @param exceptJobId as in `vmids.taken` */
export async function isVmidTaken(
  database: Pool | PoolClient,
  hostId: number,
  { vmid, exceptJobId = null }: { vmid: number; exceptJobId?: number | null },
): Promise<boolean> {
  return (await vmids.taken(database, [{ hostId, vmid }], exceptJobId)).length > 0;
}
