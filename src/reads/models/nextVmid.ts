// Finds the lowest VMIDs of a host's range that neither a guest, a template, a safety copy nor a job has, and that it did not refuse.
import type { Reads } from "../../context/context.js";
import { lockedVmidsSql } from "../../core/guest/lock.js";
import { DroverError } from "../../errors/errors.js";

/**
 * Statement with the host's id as `$1`; gives rows with `vmid`, the lowest `$2` in a block, those in `$3`, those that the host has
 * refused lately and those that are locked left out: a deletion holds its VMID until its end, when the guest is no longer on record.
 * It skips blocks of VMIDs that are full by counting them in the index: its time grows with the position of the first gap, not with
 * the number of guests.
 */
const LOWEST_FREE_VMIDS = `
  with recursive range (lower, upper) as (
    select vmid_lower, vmid_upper from host where id = $1
  ), left_out (vmid) as (
    select unnest($3::int[]) union ${lockedVmidsSql("$1::int")}
    union select vmid from vmid_refusal where host_id = $1 and until > now()
  ), block (first) as (
    select lower from range where lower < upper
    union all
    select first + 1024 from block, range
    where first + 1024 < upper and (select count(*) from (
      select vmid from guest where host_id = $1 and gone_at is null and vmid between first and first + 1023
      union
      select vmid from vmid_reservation where host_id = $1 and vmid between first and first + 1023
      union
      select vmid from left_out where vmid between first and first + 1023
    ) used) = 1024
  )
  select candidate as vmid
  from (select max(first) as first from block) last, range, generate_series(first, least(first + 1024, upper) - 1) candidate
  where not exists (select 1 from guest where host_id = $1 and gone_at is null and vmid = candidate)
    and not exists (select 1 from vmid_reservation where host_id = $1 and vmid = candidate)
    and not exists (select 1 from left_out where vmid = candidate)
  order by candidate limit $2`;

/** @returns the lowest free VMID. It is not reserved: two who ask at once get the same. @throws as `noFreeVmid` */
export async function lowestFreeVmid(reads: Reads, hostId: number): Promise<number> {
  const [vmid] = await lowestFreeVmids(reads, hostId, { count: 1 });
  if (vmid === undefined) throw await noFreeVmid(reads, hostId);
  return vmid;
}

interface Search {
  readonly count: number;
  /** VMIDs that are not to be given. */
  readonly except?: readonly number[];
}

/** @returns so many of the lowest free VMIDs, in order; fewer when the host's range has no more. They are not reserved. */
export async function lowestFreeVmids(reads: Reads, hostId: number, { count, except = [] }: Search): Promise<number[]> {
  const vmids: number[] = [];
  while (vmids.length < count) {
    const values = [hostId, count - vmids.length, [...except, ...vmids]];
    const statement = { name: "lowest free vmids", text: LOWEST_FREE_VMIDS, values };
    const { rows } = await reads.query<{ vmid: number }>(statement);
    if (rows.length === 0) break;
    vmids.push(...rows.map(({ vmid }) => vmid));
  }
  return vmids;
}

const NO_FREE_VMID = "NO_FREE_VMID";

const RANGE = `select name, vmid_lower as lower, vmid_upper as upper from host where id = $1`;

interface Range {
  readonly name: string;
  readonly lower: number;
  readonly upper: number;
}

/** @returns why the host has no VMID for a new guest: conflict `NO_FREE_VMID`, which names its range */
export async function noFreeVmid(reads: Reads, hostId: number): Promise<DroverError> {
  const { rows } = await reads.query<Range>({ name: "vmid range", text: RANGE, values: [hostId] });
  const [range] = rows;
  const message = range === undefined ? `host ${hostId} is no longer connected` : exhausted(range);
  return new DroverError("conflict", message, { reason: NO_FREE_VMID });
}

export const isNoFreeVmid = (error: unknown): error is DroverError =>
  error instanceof DroverError && error.reason === NO_FREE_VMID;

/** Bounds as the platform shows them among the options of the datacenter. */
const exhausted = ({ name, lower, upper }: Range): string =>
  lower < upper
    ? `host ${name} gives VMIDs from ${lower} to ${upper - 1}, and none of them is free`
    : `host ${name} gives no VMIDs: its range (next-id) has the lower bound ${lower} and the upper bound ${upper}`;
