// Free addresses of IP zones. Each statement takes a time that does not grow with the zone.
import { sql } from "kysely";
import { rowOf, rowsOf, tables, type Connection } from "./tables.js";

/** Addresses of a zone that came back, the lowest of them. The caller has locked the zone. */
export async function returned(connection: Connection, zoneId: number, most: number): Promise<string[]> {
  const free = tables
    .selectFrom("ip_zone_returned")
    .select(sql<string>`host(address)`.as("address"))
    .where("zone_id", "=", zoneId)
    .orderBy("ip_zone_returned.address")
    .limit(most);
  return (await rowsOf(connection, free)).map(({ address }) => address);
}

/** An address of a zone that may be free, and the last address of the zone. */
interface Candidate {
  readonly zoneId: number;
  readonly address: string;
  readonly last: string;
}

/** What a look at a candidate shows. */
interface Look {
  /** Whether it lies behind the last address of the zone. */
  readonly over: boolean;
  /** The next one that is worth a look, where the candidate cannot be taken; null: it is free. */
  readonly next: string | null;
}

/** Looks at a candidate. The caller has locked the zone. */
export const look = (connection: Connection, { zoneId, address, last }: Candidate): Promise<Look | null> =>
  rowOf(
    connection,
    // In SQL: the builder has no arithmetic of addresses.
    sql<Look>`select ${address}::inet > ${last}::inet as over, host(coalesce(
      (select x.last_address + 1 from ip_zone_exclusion x
        where x.zone_id = ${zoneId} and ${address}::inet between x.first_address and x.last_address),
      (select a.address + 1 from ip_address a
        where a.zone_id = ${zoneId} and a.address >= ${address}::inet
          and exists (select 1 from ip_address here where here.zone_id = ${zoneId} and here.address = ${address}::inet)
          and not exists (select 1 from ip_address next where next.zone_id = ${zoneId} and next.address = a.address + 1)
        order by a.address limit 1)
    )) as next`,
  );

/** Addresses that follow each other. */
interface Stretch extends Candidate {
  readonly count: number;
}

/** What a stretch has. */
interface FreeOfStretch {
  /** By address. */
  readonly free: readonly string[];
  /** The address behind it. */
  readonly next: string;
}

/** Free addresses of a stretch that begins with a candidate. The caller has locked the zone. */
export const ofStretch = (
  connection: Connection,
  { zoneId, address, last, count }: Stretch,
): Promise<FreeOfStretch | null> =>
  rowOf(
    connection,
    // In SQL, as `look`.
    sql<FreeOfStretch>`select host(${address}::inet + ${count}::int) as next, array(
      select host(looked.at) from generate_series(0, ${count}::int - 1) ahead, lateral (select ${address}::inet + ahead as at) looked
      where looked.at <= ${last}::inet
        and not exists (select 1 from ip_address a where a.zone_id = ${zoneId} and a.address = looked.at)
        and not exists (
          select 1 from ip_zone_exclusion x where x.zone_id = ${zoneId} and looked.at between x.first_address and x.last_address)
      order by looked.at) as free`,
  );
