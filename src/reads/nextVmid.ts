// Finds the lowest VMID of a host that neither a guest, a template, a safety copy nor a queued creation has.
import { SMALLEST_VMID } from "../core/names.js";

/**
 * Statement with the host's id as `$1`; gives one row with `vmid`. It skips blocks of VMIDs that are full by counting them in
 * the index: its time grows with the position of the first gap, not with the number of guests.
 */
const LOWEST_FREE_VMID = `
  with recursive block (first) as (
    select ${SMALLEST_VMID}
    union all
    select first + 1024 from block
    where (select count(*) from (
      select vmid from guest where host_id = $1 and gone_at is null and vmid between first and first + 1023
      union
      select vmid from vmid_reservation where host_id = $1 and vmid between first and first + 1023
    ) used) = 1024
  )
  select candidate as vmid
  from (select max(first) as first from block) last, generate_series(first, first + 1023) candidate
  where not exists (select 1 from guest where host_id = $1 and gone_at is null and vmid = candidate)
    and not exists (select 1 from vmid_reservation where host_id = $1 and vmid = candidate)
  order by candidate limit 1`;

interface Queryable {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: { vmid: number }[] }>;
}

/** @returns the lowest free VMID from 100 on. It is not reserved: two who ask at once get the same. */
export async function lowestFreeVmid(database: Queryable, hostId: number): Promise<number> {
  const { rows } = await database.query({ name: "lowest free vmid", text: LOWEST_FREE_VMID, values: [hostId] });
  const vmid = rows[0]?.vmid;
  if (vmid === undefined) throw new Error("The search for a free VMID gave no row");
  return vmid;
}
