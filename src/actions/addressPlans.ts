// Plans what becomes of the addresses of guests that are to move, all of them in one statement; nothing is reserved.
import type { Pool } from "pg";
import { planAddress, type CurrentAddress, type IpPlanning, type TargetZone } from "../core/addressing/ipPlan.js";

/** A guest and the host that it is to go to. */
export interface AddressQuestion {
  readonly guestId: number;
  readonly toHostId: number;
  /** The one zone of the target to take an address from; null: any of its zones, by name. */
  readonly zoneId: number | null;
}

interface AddressRow {
  readonly guestId: number;
  readonly current: CurrentAddress | null;
  readonly zones: readonly TargetZone[];
}

// The next free address is the frontier, or follows something taken or excluded at or after it.
const NEXT_FREE = `
  select c.address from (
      select z.next_candidate as address
      union all select a.address + 1 from ip_address a where a.zone_id = z.id and a.address >= z.next_candidate
      union all select x.last_address + 1 from ip_zone_exclusion x where x.zone_id = z.id and x.last_address >= z.next_candidate
    ) c
    where c.address between z.range_start and z.range_end
      and not exists (select 1 from ip_address a where a.zone_id = z.id and a.address = c.address)
      and not exists (select 1 from ip_zone_exclusion x where x.zone_id = z.id and c.address between x.first_address and x.last_address)
    order by c.address limit 1`;

const CAN_KEEP = `
  coalesce(own.address between z.range_start and z.range_end
    and not exists (select 1 from ip_address a where a.zone_id = z.id and a.address = own.address)
    and not exists (select 1 from ip_zone_exclusion x where x.zone_id = z.id and own.address between x.first_address and x.last_address), false)`;

const ADDRESSES = `
  select q.guest_id as "guestId",
    case when own.address is not null then json_build_object('address', host(own.address), 'zoneName', own.zone) end as current,
    (select coalesce(json_agg(json_build_object('id', z.id, 'name', z.name, 'canKeep', ${CAN_KEEP}, 'nextFree', host((${NEXT_FREE}))) order by z.name), '[]')
      from ip_zone z where z.host_id = q.host_id and (q.zone_id is null or z.id = q.zone_id)
        and own.address is not null and family(z.cidr) = family(own.address)) as zones
  from unnest($1::int[], $2::int[], $3::int[]) as q (guest_id, host_id, zone_id)
  left join lateral (
    select a.address, oz.name as zone from ip_address a join ip_zone oz on oz.id = a.zone_id
    where a.guest_id = q.guest_id order by a.id limit 1
  ) own on true`;

/** @returns what becomes of each guest's address, by guest id. */
export async function planAddresses(
  pool: Pool,
  questions: readonly AddressQuestion[],
): Promise<ReadonlyMap<number, IpPlanning>> {
  if (questions.length === 0) return new Map();
  const { rows } = await pool.query<AddressRow>({
    name: "address-plans",
    text: ADDRESSES,
    values: [
      questions.map(({ guestId }) => guestId),
      questions.map(({ toHostId }) => toHostId),
      questions.map(({ zoneId }) => zoneId),
    ],
  });
  return new Map(rows.map(({ guestId, current, zones }) => [guestId, planAddress(current, zones)]));
}
