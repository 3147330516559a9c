// API tokens.
import { sql } from "kysely";
import { idsOf, usedTable, type Use } from "./lastUse.js";
import { insertedId, prepared, rowOf, tables, written, type Connection } from "./tables.js";

interface NewToken {
  readonly name: string;
  readonly prefix: string;
  readonly tokenHash: string;
  readonly allowedIps: string | null;
  readonly rateLimit: number | null;
  readonly connectionScope: readonly number[];
  readonly permissions: readonly string[];
  /** The token that made it, with which it is revoked. */
  readonly madeBy: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** @returns the id */
export function insert(connection: Connection, token: NewToken): Promise<number> {
  const row = {
    name: token.name,
    prefix: token.prefix,
    token_hash: token.tokenHash,
    allowed_ips: token.allowedIps,
    rate_limit: token.rateLimit,
    connection_scope: [...token.connectionScope],
    permissions: [...token.permissions],
    made_by: token.madeBy,
    created_at: token.createdAt,
    expires_at: token.expiresAt,
  };
  return insertedId(connection, tables.insertInto("api_token").values(row).returning("id"));
}

/** How far a token reaches, as it is stored. */
export interface StoredReach extends Pick<
  NewToken,
  "allowedIps" | "rateLimit" | "connectionScope" | "permissions" | "expiresAt"
> {
  readonly id: number;
  readonly revokedAt: Date | null;
}

const REACH = [
  "id",
  "allowed_ips as allowedIps",
  "rate_limit as rateLimit",
  "connection_scope as connectionScope",
  "permissions",
  "expires_at as expiresAt",
] as const;

/** Looks up a token, and keeps it from being revoked until the transaction ends. */
export const hold = (connection: Connection, id: number): Promise<StoredReach | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("api_token")
      .select([...REACH, "revoked_at as revokedAt"])
      .where("id", "=", id)
      .forShare(),
  );

/** A token that is presented. */
export interface TokenOfHash extends Omit<StoredReach, "revokedAt"> {
  readonly name: string;
}

const OF_HASH = prepared<Pick<NewToken, "tokenHash">, TokenOfHash>("access api token", ({ tokenHash }) =>
  tables
    .selectFrom("api_token")
    .select([...REACH, "name"])
    .where("token_hash", "=", tokenHash)
    .where("revoked_at", "is", null),
);

/** @returns null when the token is unknown or revoked */
export const ofHash = (connection: Connection, tokenHash: string): Promise<TokenOfHash | null> =>
  rowOf(connection, OF_HASH({ tokenHash }));

/** Ids of the hosts in a token's scope; empty: every host. @returns null when there is no such token */
export const connectionScope = async (connection: Connection, id: number): Promise<readonly number[] | null> =>
  (await rowOf(connection, tables.selectFrom("api_token").select("connection_scope as hostIds").where("id", "=", id)))
    ?.hostIds ?? null;

/** Revokes a token, with all that it made; one that is revoked already keeps its moment. */
export async function revoke(connection: Connection, id: number, at: Date): Promise<void> {
  const revoked = { revoked_at: sql<Date>`coalesce(revoked_at, ${at})` };
  await written(connection, tables.updateTable("api_token").set(revoked).where("id", "=", id));
}

/** Records uses, but of tokens that another statement has locked: that may wait for others of these. Later uses stay. */
export async function recordUses(connection: Connection, uses: readonly Use[]): Promise<void> {
  const free = tables.selectFrom("api_token").select("id").where("id", "in", idsOf(uses)).forUpdate().skipLocked();
  const update = tables
    .with("free", () => free)
    .updateTable("api_token as t")
    .from(usedTable(uses))
    .set((row) => ({ last_used_at: row.ref("used.at"), last_used_ip: row.ref("used.sourceIp") }))
    .whereRef("t.id", "=", "used.id")
    .where("t.id", "in", sql<number>`(select id from free)`)
    .where(sql<boolean>`(t.last_used_at is null or t.last_used_at < used.at)`);
  await written(connection, update);
}
