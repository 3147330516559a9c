// What each host said of the temporary tokens of moves: its answer to the latest request counts, whichever answer comes first.
import { sql } from "kysely";
import { tables, written, type Connection } from "./tables.js";

/** The longest text that is kept, in characters. */
const MOST_CHARACTERS = 300;

/** A token in the ledger that its host was asked for. */
interface AskedToken {
  readonly hostId: number;
  /** Its id in the ledger: tokens that were asked for later have higher ones. */
  readonly tokenId: number;
}

interface Refusal extends AskedToken {
  /** The platform's own, without any secret; what is too long is cut. */
  readonly words: string;
  readonly at: Date;
}

/**
 * Records that a host has refused a token, unless it has answered a later request already, or its refusals were forgotten since the
 * request. In a transaction, its row is locked last.
 */
export const record = (connection: Connection, { words, at, ...asked }: Refusal): Promise<void> =>
  write(connection, asked, { words: cut(words), at });

/** Records that a host has made a token, under the same condition: what it refused before no longer counts. */
export const clear = (connection: Connection, asked: AskedToken): Promise<void> =>
  write(connection, asked, { words: null, at: null });

const cut = (words: string): string =>
  words.length <= MOST_CHARACTERS ? words : `${words.slice(0, MOST_CHARACTERS - 1)}…`;

interface Answer {
  readonly words: string | null;
  readonly at: Date | null;
}

async function write(connection: Connection, { hostId, tokenId }: AskedToken, { words, at }: Answer): Promise<void> {
  await written(
    connection,
    tables
      .insertInto("token_refusal")
      .columns(["host_id", "token_id", "words", "refused_at"])
      .expression((db) =>
        db
          .selectFrom("host")
          .select([
            "id",
            sql<number>`${tokenId}::integer`.as("token_id"),
            sql<string | null>`${words}::text`.as("words"),
            sql<Date | null>`${at}::timestamptz`.as("refused_at"),
          ])
          .where("id", "=", hostId),
      )
      .onConflict((conflict) =>
        conflict
          .column("host_id")
          .doUpdateSet((row) => ({
            token_id: row.ref("excluded.token_id"),
            words: row.ref("excluded.words"),
            refused_at: row.ref("excluded.refused_at"),
          }))
          .whereRef("token_refusal.token_id", "<", "excluded.token_id"),
      ),
  );
}

/** Forgets what a host has refused; its answer to a request that is under way is not recorded either. */
export async function forget(connection: Connection, hostId: number): Promise<void> {
  await written(
    connection,
    tables
      .insertInto("token_refusal")
      .columns(["host_id", "token_id"])
      .expression((db) =>
        db
          .selectFrom("host")
          .select(["id", sql<number>`coalesce((select max(id) from temporary_token), 0)`.as("token_id")])
          .where("id", "=", hostId),
      )
      .onConflict((conflict) =>
        conflict.column("host_id").doUpdateSet({
          token_id: sql<number>`greatest(token_refusal.token_id, excluded.token_id)`,
          words: null,
          refused_at: null,
        }),
      ),
  );
}
