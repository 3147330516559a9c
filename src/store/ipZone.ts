// IP zones, with what they leave out.
import { sql } from "kysely";
import { insertedId, rowOf, tables, written, type Connection } from "./tables.js";

/** A zone of assignable addresses. */
interface NewZone {
  readonly hostId: number;
  readonly name: string;
  readonly cidr: string;
  readonly first: string;
  readonly last: string;
  readonly gateway: string | null;
  readonly bridge: string;
  readonly vlan: number | null;
  readonly nameservers: readonly string[];
  /** Addresses that can be assigned; a decimal. */
  readonly total: string;
}

/** The caller holds the host. @returns the id. @throws the driver's unique violation for a name that another zone of the host has */
export function insert(connection: Connection, zone: NewZone): Promise<number> {
  const { hostId, name, cidr, first, last, gateway, bridge, vlan, nameservers, total } = zone;
  const row = {
    host_id: hostId,
    name,
    cidr,
    range_start: first,
    range_end: last,
    gateway,
    bridge,
    vlan,
    nameservers: [...nameservers],
    total,
    next_candidate: first,
  };
  return insertedId(connection, tables.insertInto("ip_zone").values(row).returning("id"));
}

/** Addresses from the first to the last. */
interface Gap {
  readonly first: string;
  readonly last: string;
}

/**
 * A zone of the same network that has addresses of a range, of the same family. The caller holds the host.
 * @returns its name; null when there is none
 */
export async function overlapping(
  connection: Connection,
  { hostId, bridge, vlan, first, last }: Pick<NewZone, "hostId" | "bridge" | "vlan" | "first" | "last">,
): Promise<string | null> {
  const zone = tables
    .selectFrom("ip_zone")
    .select("name")
    .where("host_id", "=", hostId)
    .where("bridge", "=", bridge)
    .where("vlan", "is not distinct from", vlan)
    .where(sql<boolean>`family(range_start) = family(${first}::inet)`)
    .where("range_start", "<=", sql<string>`${last}::inet`)
    .where("range_end", ">=", sql<string>`${first}::inet`)
    .limit(1);
  return (await rowOf(connection, zone))?.name ?? null;
}

/** Leaves these addresses out of a zone. */
export async function exclude(connection: Connection, zoneId: number, gaps: readonly Gap[]): Promise<void> {
  const rows = gaps.map(({ first, last }) => ({ zone_id: zoneId, first_address: first, last_address: last }));
  if (rows.length > 0) await written(connection, tables.insertInto("ip_zone_exclusion").values(rows));
}

interface LockedZone {
  readonly used: number;
}

/** Locks a zone of these hosts (null: all). @returns null when there is none */
export function lock(
  connection: Connection,
  id: number,
  hostIds: readonly number[] | null,
): Promise<LockedZone | null> {
  const zone = tables
    .selectFrom("ip_zone")
    .select("used")
    .where("id", "=", id)
    .where(sql<boolean>`(${hostIds}::integer[] is null or host_id = any(${hostIds}::integer[]))`)
    .forUpdate();
  return rowOf(connection, zone);
}

/** What an address of a zone comes with. */
interface FoundZone {
  readonly id: number;
  readonly name: string;
  readonly prefixLength: number;
  readonly family: 4 | 6;
  readonly gateway: string | null;
  readonly vlan: number | null;
  readonly nameservers: readonly string[];
}

/** @returns a zone; null when there is none */
export const find = (connection: Connection, id: number): Promise<FoundZone | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("ip_zone")
      .select(["id", "name", "vlan", "nameservers"])
      .select([
        sql<number>`masklen(cidr)`.as("prefixLength"),
        sql<4 | 6>`family(cidr)`.as("family"),
        sql<string | null>`host(gateway)`.as("gateway"),
      ])
      .where("id", "=", id),
  );

/** What lies ahead in a zone. */
export interface Range {
  readonly candidate: string;
  readonly last: string;
}

/** Locks a zone, until the transaction ends, for a search for free addresses: those of one zone pass one by one. @returns null when there is none */
export const lockRange = (connection: Connection, id: number): Promise<Range | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("ip_zone")
      .select([sql<string>`host(next_candidate)`.as("candidate"), sql<string>`host(range_end)`.as("last")])
      .where("id", "=", id)
      .forUpdate(),
  );

/** Begins the search for free addresses behind this one. The caller has locked the zone. */
export async function advance(connection: Connection, id: number, behind: string): Promise<void> {
  const next = sql<string>`${behind}::inet + 1`;
  await written(connection, tables.updateTable("ip_zone").set({ next_candidate: next }).where("id", "=", id));
}

/** Deletes a zone, whose addresses nobody has. The caller has locked it. */
export async function remove(connection: Connection, id: number): Promise<void> {
  await written(connection, tables.deleteFrom("ip_zone").where("id", "=", id));
}
