// Takes the next free address of an IP zone for a job, in a time that does not grow with the zone.
import type { PoolClient } from "pg";
import { DroverError } from "../errors.js";
import type { ZoneFacts } from "./createGuestFacts.js";

/** The zone that an address is taken from. */
export type AddressZone = Pick<ZoneFacts, "id" | "name" | "prefixLength">;

export interface TakenAddress {
  /** Without its prefix length. */
  readonly address: string;
  /** With the zone's prefix length, as guests are configured. */
  readonly cidr: string;
}

/** What came back is given first, the lowest of it. */
const RETURNED = `select host(address) as address from ip_zone_returned where zone_id = $1 order by address limit 1`;

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

/** @throws DroverError conflict `IP_ZONE_FULL`; validation when the zone was deleted meanwhile */
export async function takeAddress(client: PoolClient, zone: AddressZone, jobId: number): Promise<TakenAddress> {
  // The row lock lets the creations of one zone pass one by one.
  const { rows } = await client.query<{ candidate: string; last: string }>(
    `select host(next_candidate) as candidate, host(range_end) as last from ip_zone where id = $1 for update`,
    [zone.id],
  );
  const [range] = rows;
  if (range === undefined) {
    throw new DroverError("validation", "ip_source: is no known IP zone", {
      fields: [{ field: "ip_source", message: "is no known IP zone" }],
    });
  }
  const { rows: returned } = await client.query<{ address: string }>(RETURNED, [zone.id]);
  const address = returned[0]?.address ?? (await advance(client, zone, range));
  await client.query(`insert into ip_address (zone_id, address, job_id) values ($1, $2, $3)`, [
    zone.id,
    address,
    jobId,
  ]);
  return { address, cidr: `${address}/${zone.prefixLength}` };
}

/** What was found taken or excluded on the way is behind the frontier then: it is looked at once in the life of a zone. */
async function advance(
  client: PoolClient,
  zone: AddressZone,
  range: { candidate: string; last: string },
): Promise<string> {
  const address = await firstFree(client, zone, range);
  await client.query(`update ip_zone set next_candidate = $2::inet + 1 where id = $1`, [zone.id, address]);
  return address;
}

async function firstFree(
  client: PoolClient,
  zone: AddressZone,
  { candidate, last }: { candidate: string; last: string },
): Promise<string> {
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
