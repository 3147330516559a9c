// What is known of guests when something is decided about them: where they are, whose they are, and what they are. Some rows are held.
import { sql } from "kysely";
import { rowOf, rowsOf, tables, type Connection } from "../tables.js";

/** The node of a guest, gone or not. @returns null when there is none */
export const nodeOf = async (connection: Connection, id: number): Promise<number | null> =>
  (await rowOf(connection, tables.selectFrom("guest").select("node_id as nodeId").where("id", "=", id)))?.nodeId ??
  null;

/** A guest, as far as it decides whether ports can be forwarded to it. */
export interface ForwardableGuest {
  readonly hostId: number;
  readonly vmid: number;
  readonly nodeId: number;
  readonly safetyCopy: boolean;
  readonly natConfigured: boolean;
  /** IPv4, from an IP zone or from the guest's own configuration. */
  readonly address: string | null;
}

const IPV4 = sql<string | null>`coalesce(
  (select host(z.address) from ip_address z where z.guest_id = g.id and family(z.address) = 4 order by z.address limit 1),
  (select host(own::inet) from unnest(g.ip_addresses) own where family(own::inet) = 4 limit 1))`;

/**
 * Holds the row of a guest of these hosts (null: all) until the transaction ends. The caller has locked the node where it expects
 * the guest.
 * @returns null when there is no such guest, or it is gone
 */
export const holdForwardable = (
  connection: Connection,
  id: number,
  hostIds: readonly number[] | null,
): Promise<ForwardableGuest | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("guest as g")
      .leftJoin("agent as a", "a.node_id", "g.node_id")
      .select(["g.host_id as hostId", "g.vmid", "g.node_id as nodeId", "g.safety_copy as safetyCopy"])
      .select([sql<boolean>`coalesce(a.nat_configured, false)`.as("natConfigured"), IPV4.as("address")])
      .where("g.id", "=", id)
      .where("g.gone_at", "is", null)
      .where(sql<boolean>`(${hostIds}::int[] is null or g.host_id = any(${hostIds}::int[]))`)
      .$narrowType<{ nodeId: number }>()
      .forNoKeyUpdate("g"),
  );

/** A guest that is to be deleted if it is a safety copy. */
export interface NamedCopy {
  readonly id: number;
  readonly hostId: number;
  readonly node: string;
  readonly vmid: number;
  readonly safetyCopy: boolean;
  /** Name of its host while that is switched off; null otherwise. */
  readonly switchedOffHost: string | null;
}

/** Holds the rows of guests until the transaction ends, in the order of their ids. @returns those that are there */
export const holdCopies = (connection: Connection, ids: readonly number[]): Promise<NamedCopy[]> =>
  rowsOf(
    connection,
    tables
      .selectFrom("guest as g")
      .innerJoin("node as n", "n.id", "g.node_id")
      .select((row) => [
        "g.id",
        "g.host_id as hostId",
        "n.name as node",
        "g.vmid",
        "g.safety_copy as safetyCopy",
        row
          .selectFrom("host as h")
          .select("h.name")
          .whereRef("h.id", "=", "g.host_id")
          .where("h.active", "=", sql.lit(false))
          .as("switchedOffHost"),
      ])
      .where(sql<boolean>`g.id = any(${ids}::integer[])`)
      .where("g.gone_at", "is", null)
      .orderBy("g.id")
      .forNoKeyUpdate("g"),
  );

/** Whether an owner has guests on other hosts than these; null: there are no others. */
export async function isOwnedElsewhere(
  connection: Connection,
  ownerId: number,
  hostIds: readonly number[] | null,
): Promise<boolean> {
  const guest = tables
    .selectFrom("guest")
    .select("id")
    .where("owner_id", "=", ownerId)
    .where("gone_at", "is", null)
    .where(sql<boolean>`host_id <> all(${hostIds}::integer[])`)
    .limit(1);
  return (await rowOf(connection, guest)) !== null;
}

/** What of a guest decides who sees it. */
interface Ownership {
  readonly hostId: number;
  readonly ownerId: number | null;
  /** Who made the owner's account. */
  readonly resellerId: number | null;
}

const owned = tables
  .selectFrom("guest as g")
  .leftJoin("user_account as owner", "owner.id", "g.owner_id")
  .select(["g.host_id as hostId", "g.owner_id as ownerId", "owner.created_by as resellerId"])
  .where("g.gone_at", "is", null);

/** Whose these guests are; those that are gone are left out. */
export const ownershipOf = (
  connection: Connection,
  ids: readonly number[],
): Promise<(Ownership & { readonly id: number })[]> =>
  rowsOf(connection, owned.select("g.id").where(sql<boolean>`g.id = any(${ids}::integer[])`));

/** Whose the guests of these hosts are, each ownership once. */
export const ownershipOn = (connection: Connection, hostIds: readonly number[]): Promise<Ownership[]> =>
  rowsOf(connection, owned.distinct().where(sql<boolean>`g.host_id = any(${hostIds}::integer[])`));
