// API tokens.
import { LockMode, type EntityManager } from "@mikro-orm/postgresql";
import { sql } from "kysely";
import { ApiToken } from "../entities/apiToken.js";
import { tables, written, type Connection } from "./tables.js";

interface NewToken {
  readonly name: string;
  readonly prefix: string;
  readonly tokenHash: string;
  readonly allowedIps: string | null;
  readonly rateLimit: number | null;
  readonly connectionScope: number[];
  readonly permissions: string[];
  /** The token that made it, with which it is revoked. */
  readonly madeBy: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** @returns the id */
export async function insert(entities: EntityManager, columns: NewToken): Promise<number> {
  const token = entities.create(ApiToken, columns);
  await entities.flush();
  return token.id;
}

/** Loads a token, and keeps it from being revoked until the transaction ends. */
export const hold = (entities: EntityManager, id: number): Promise<ApiToken | null> =>
  entities.findOne(ApiToken, id, { lockMode: LockMode.PESSIMISTIC_READ });

/** Revokes a token, with all that it made; one that is revoked already keeps its moment. */
export async function revoke(entities: EntityManager, token: ApiToken, at: Date): Promise<void> {
  token.revokedAt ??= at;
  await entities.flush();
}

/** When and from where a token was used. */
interface TokenUse {
  readonly tokenId: number;
  readonly at: Date;
  readonly sourceIp: string;
}

/** Records uses, in the order of their ids everywhere: otherwise two processes could wait for each other. Later uses stay. */
export async function recordUses(connection: Connection, uses: readonly TokenUse[]): Promise<void> {
  const columns = [
    sql`${uses.map(({ tokenId }) => tokenId)}::integer[]`,
    sql`${uses.map(({ at }) => at)}::timestamptz[]`,
    sql`${uses.map(({ sourceIp }) => sourceIp)}::text[]`,
  ];
  const used = sql<TokenUse>`unnest(${sql.join(columns)})`.as<"used">(sql`used ("tokenId", at, "sourceIp")`);
  const update = tables
    .updateTable("api_token as t")
    .from(used)
    .set((row) => ({ last_used_at: row.ref("used.at"), last_used_ip: row.ref("used.sourceIp") }))
    .whereRef("t.id", "=", "used.tokenId")
    .where(sql<boolean>`(t.last_used_at is null or t.last_used_at < used.at)`);
  await written(connection, update);
}
