// Finds the lowest VMIDs of a host that neither a guest, a template, a safety copy nor a job has.
import { lockedVmidsSql } from "../../core/guest/lock.js";
import { SMALLEST_VMID } from "../../core/names.js";

/**
 * Statement with the host's id as `$1`; gives rows with `vmid`, the lowest `$2` in a block, those in `$3` and those that are locked
 * left out: a deletion holds its VMID until its end, when the guest is no longer on record. It skips blocks of VMIDs that are full by
 * counting them in the index: its time grows with the position of the first gap, not with the number of guests.
 */
const LOWEST_FREE_VMIDS = `
  with recursive left_out (vmid) as (
    select unnest($3::int[]) union ${lockedVmidsSql("$1::int")}
  ), block (first) as (
    select ${SMALLEST_VMID}
    union all
    select first + 1024 from block
    where (select count(*) from (
      select vmid from guest where host_id = $1 and gone_at is null and vmid between first and first + 1023
      union
      select vmid from vmid_reservation where host_id = $1 and vmid between first and first + 1023
      union
      select vmid from left_out where vmid between first and first + 1023
    ) used) = 1024
  )
  select candidate as vmid
  from (select max(first) as first from block) last, generate_series(first, first + 1023) candidate
  where not exists (select 1 from guest where host_id = $1 and gone_at is null and vmid = candidate)
    and not exists (select 1 from vmid_reservation where host_id = $1 and vmid = candidate)
    and not exists (select 1 from left_out where vmid = candidate)
  order by candidate limit $2`;

interface Queryable {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: { vmid: number }[] }>;
}

/** @returns the lowest free VMID from 100 on. It is not reserved: two who ask at once get the same. */
export async function lowestFreeVmid(database: Queryable, hostId: number): Promise<number> {
  const [vmid] = await lowestFreeVmids(database, hostId, { count: 1 });
  if (vmid === undefined) throw new Error("The search for a free VMID gave no row");
  return vmid;
}

interface Search {
  readonly count: number;
  /** VMIDs that are not to be given. */
  readonly except?: readonly number[];
}

/** @returns so many of the lowest free VMIDs from 100 on, in order. They are not reserved. */
export async function lowestFreeVmids(
  database: Queryable,
  hostId: number,
  { count, except = [] }: Search,
): Promise<number[]> {
  const vmids: number[] = [];
  while (vmids.length < count) {
    const values = [hostId, count - vmids.length, [...except, ...vmids]];
    const { rows } = await database.query({ name: "lowest free vmids", text: LOWEST_FREE_VMIDS, values });
    if (rows.length === 0) throw new Error("The search for free VMIDs gave no row");
    vmids.push(...rows.map(({ vmid }) => vmid));
  }
  return vmids;
}
