// Plans the new addresses of guests that are to move, all in one statement and in turn; nothing is reserved.
import type { Reads } from "../context/context.js";
import { planAddressesInTurn, type AddressTurn, type IpPlanning } from "../core/addressing/ipPlan.js";

/** A guest and the host that it is to go to. */
export interface AddressQuestion {
  readonly guestId: number;
  readonly toHostId: number;
  /** The one zone of the target to take an address from; null: any of its zones, by name. */
  readonly zoneId: number | null;
}

interface AddressRow extends AddressTurn {
  readonly guestId: number;
}

interface FoundAddresses {
  readonly guests: readonly AddressRow[];
  /** The lowest free addresses of each zone, as many as guests may ask for. */
  readonly zones: readonly { readonly id: number; readonly free: readonly string[] }[];
}

// The next free address from `start` on is that, or follows something taken or excluded at or after it.
const nextFree = (start: string): string => `(
  select c.address from (
      select ${start} as address
      union all select a.address + 1 from ip_address a where a.zone_id = z.id and a.address >= ${start}
      union all select x.last_address + 1 from ip_zone_exclusion x where x.zone_id = z.id and x.last_address >= ${start}
    ) c
    where c.address between z.range_start and z.range_end
      and not exists (select 1 from ip_address a where a.zone_id = z.id and a.address = c.address)
      and not exists (select 1 from ip_zone_exclusion x where x.zone_id = z.id and c.address between x.first_address and x.last_address)
    order by c.address limit 1)`;

const CAN_KEEP = `
  coalesce(own.address between z.range_start and z.range_end
    and not exists (select 1 from ip_address a where a.zone_id = z.id and a.address = own.address)
    and not exists (select 1 from ip_zone_exclusion x where x.zone_id = z.id and own.address between x.first_address and x.last_address), false)`;

const ADDRESSES = `
  with asked as (
    select q.*, own.address, own.zone from unnest($1::int[], $2::int[], $3::int[]) with ordinality as q (guest_id, host_id, zone_id, turn)
    left join lateral (
      select a.address, oz.name as zone from ip_address a join ip_zone oz on oz.id = a.zone_id
      where a.guest_id = q.guest_id order by a.id limit 1
    ) own on true
  )
  select json_build_object(
    'guests', (select json_agg(json_build_object('guestId', own.guest_id,
        'current', case when own.address is not null then json_build_object('address', host(own.address), 'zoneName', own.zone) end,
        'zones', (select coalesce(json_agg(json_build_object('id', z.id, 'name', z.name, 'canKeep', ${CAN_KEEP}) order by z.name), '[]')
          from ip_zone z where z.host_id = own.host_id and (own.zone_id is null or z.id = own.zone_id)
            and own.address is not null and family(z.cidr) = family(own.address))) order by own.turn) from asked own),
    'zones', (select coalesce(json_agg(json_build_object('id', z.id, 'free', (
        with recursive free (n, address) as (
          select 1, ${nextFree("z.next_candidate")}
          union all
          select n + 1, ${nextFree("free.address + 1")} from free where n < wanted.guests and free.address is not null
        )
        select coalesce(json_agg(host(address) order by address), '[]') from (
          (select r.address from ip_zone_returned r where r.zone_id = z.id order by r.address limit wanted.guests)
          union all select address from free where address is not null) lowest))), '[]')
      from ip_zone z join (
        select host_id, count(*) as guests from asked where address is not null group by host_id
      ) wanted on wanted.host_id = z.host_id)
  )::text as json`;

/** @returns what becomes of each guest's address, by guest id; what earlier ones get is not offered to later ones. */
export async function planAddresses(
  reads: Reads,
  questions: readonly AddressQuestion[],
): Promise<ReadonlyMap<number, IpPlanning>> {
  if (questions.length === 0) return new Map();
  const { rows } = await reads.query<{ json: string }>({
    name: "address-plans",
    text: ADDRESSES,
    values: [
      questions.map(({ guestId }) => guestId),
      questions.map(({ toHostId }) => toHostId),
      questions.map(({ zoneId }) => zoneId),
    ],
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
  const { guests, zones } = JSON.parse(rows[0]?.json ?? "null") as FoundAddresses;
  const plans = planAddressesInTurn(guests, new Map(zones.map(({ id, free }) => [id, free])));
  return new Map(guests.flatMap(({ guestId }, turn) => (plans[turn] === undefined ? [] : [[guestId, plans[turn]]])));
}
