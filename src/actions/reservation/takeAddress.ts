// Takes the next free addresses of an IP zone for jobs, in a time that does not grow with the zone.
import type { PoolClient } from "pg";
import { DroverError, validationError } from "../../errors/errors.js";
import * as addresses from "../../store/address.js";
import * as ipZones from "../../store/ipZone.js";
import type { ZoneFacts } from "../guest/createGuestFacts.js";

/** The zone that an address is taken from. */
export type AddressZone = Pick<ZoneFacts, "id" | "name" | "prefixLength">;

export interface TakenAddress {
  /** Without its prefix length. */
  readonly address: string;
  /** With the zone's prefix length, as guests are configured. */
  readonly cidr: string;
}

/** What came back is given first, the lowest of it. */
const RETURNED = `select host(address) as address from ip_zone_returned where zone_id = $1 order by address limit $2`;

/** Where a candidate cannot be taken, the next one worth looking at; null when it is free. */
const AFTER = `
  select host(coalesce(
    (select x.last_address + 1 from ip_zone_exclusion x where x.zone_id = $1 and $2::inet between x.first_address and x.last_address),
    (select a.address + 1 from ip_address a
      where a.zone_id = $1 and a.address >= $2::inet
        and exists (select 1 from ip_address here where here.zone_id = $1 and here.address = $2::inet)
        and not exists (select 1 from ip_address next where next.zone_id = $1 and next.address = a.address + 1)
      order by a.address limit 1)
  )) as address`;

/** Those of `$4` addresses from `$2` on that are free, and behind the last of them the next that is worth looking at. */
const FREE_FROM = `
  select host($2::inet + $4::int) as next, array(
    select host(looked.at) from generate_series(0, $4::int - 1) ahead, lateral (select $2::inet + ahead as at) looked
    where looked.at <= $3::inet
      and not exists (select 1 from ip_address a where a.zone_id = $1 and a.address = looked.at)
      and not exists (
        select 1 from ip_zone_exclusion x where x.zone_id = $1 and looked.at between x.first_address and x.last_address)
    order by looked.at) as free`;

/** @throws DroverError conflict `IP_ZONE_FULL`; validation when the zone was deleted meanwhile */
export async function takeAddress(client: PoolClient, zone: AddressZone, jobId: number): Promise<TakenAddress> {
  const [taken] = await takeAddresses(client, zone, [jobId]);
  if (taken === undefined) throw new Error("an IP zone gave no address");
  return taken;
}

/**
 * Takes one address for each job, in their order.
 * @throws DroverError conflict `IP_ZONE_FULL` when there are not enough for all; validation when the zone was deleted meanwhile
 */
export async function takeAddresses(
  client: PoolClient,
  zone: AddressZone,
  jobIds: readonly number[],
): Promise<TakenAddress[]> {
  const given: string[] = [];
  let lacking = [...jobIds.keys()];
  while (lacking.length > 0) {
    const free = await lowestFree(client, zone, lacking.length);
    const wanted = lacking.map((place, index) => ({ address: free[index] ?? "", jobId: jobIds[place] ?? 0 }));
    const taken = await addresses.takeForJobs(client, zone.id, wanted);
    for (const [index, place] of lacking.entries()) {
      const address = free[index] ?? "";
      if (taken.has(address)) given[place] = address;
    }
    lacking = lacking.filter((place) => given[place] === undefined);
  }
  return given.map((address) => ({ address, cidr: `${address}/${zone.prefixLength}` }));
}

/** As many as are wanted, none of which anybody is known to have. @throws DroverError as `takeAddresses` */
async function lowestFree(client: PoolClient, zone: AddressZone, count: number): Promise<string[]> {
  // The row lock lets the creations of one zone pass one by one.
  const { rows } = await client.query<Range>(
    `select host(next_candidate) as candidate, host(range_end) as last from ip_zone where id = $1 for update`,
    [zone.id],
  );
  const [range] = rows;
  if (range === undefined) {
    throw validationError([{ field: "ip_source", message: "is no known IP zone" }]);
  }
  const { rows: returned } = await client.query<{ address: string }>(RETURNED, [zone.id, count]);
  const missing = count - returned.length;
  const ahead = missing > 0 ? await advance(client, zone, { range, count: missing }) : [];
  return [...returned.map(({ address }) => address), ...ahead];
}

/** What lies ahead in a zone. */
interface Range {
  readonly candidate: string;
  readonly last: string;
}

interface Wanted {
  readonly range: Range;
  readonly count: number;
}

/** What was found taken or excluded on the way is behind the frontier then: it is looked at once in the life of a zone. */
async function advance(client: PoolClient, zone: AddressZone, wanted: Wanted): Promise<string[]> {
  const found = await nextFree(client, zone, wanted);
  await ipZones.advance(client, zone.id, found.at(-1) ?? wanted.range.last);
  return found;
}

async function nextFree(client: PoolClient, zone: AddressZone, { range, count }: Wanted): Promise<string[]> {
  const found: string[] = [];
  let { candidate } = range;
  for (;;) {
    const first = await firstFree(client, zone, { ...range, candidate });
    const lacking = count - found.length;
    if (lacking === 1) return [...found, first];
    const { rows } = await client.query<{ free: string[]; next: string }>(FREE_FROM, [
      zone.id,
      first,
      range.last,
      lacking,
    ]);
    const [look] = rows;
    if (look === undefined) throw new Error("a look at an IP zone gave no row");
    found.push(...look.free);
    if (found.length === count) return found;
    candidate = look.next;
  }
}

async function firstFree(client: PoolClient, zone: AddressZone, { candidate, last }: Range): Promise<string> {
  let address = candidate;
  for (;;) {
    const { rows } = await client.query<{ over: boolean; address: string | null }>(
      `select $2::inet > $3::inet as over, (${AFTER}) as address`,
      [zone.id, address, last],
    );
    const [look] = rows;
    if (look === undefined || look.over) {
      throw new DroverError("conflict", `IP zone ${zone.name} is full`, { reason: "IP_ZONE_FULL" });
    }
    if (look.address === null) return address;
    address = look.address;
  }
}
