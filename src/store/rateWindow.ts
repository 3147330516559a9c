// Requests and wrong passwords, counted in windows of a minute.
import { sql } from "kysely";
import { prepared, rowOf, rowsOf, tables, written, type Connection, type Row } from "./tables.js";

interface LimitedWindow {
  readonly key: string;
  readonly start: Date;
  /** At least 1. */
  readonly limit: number;
}

const COUNT = prepared<LimitedWindow, Pick<Row<"rate_window">, "used">>("rate-window-count", ({ key, start, limit }) =>
  tables
    .insertInto("rate_window")
    .values({ key, window_start: start, used: sql.lit(1) })
    .onConflict((conflict) =>
      conflict
        .columns(["key", "window_start"])
        .doUpdateSet((row) => ({ used: row("rate_window.used", "+", sql.lit(1)) }))
        .where("rate_window.used", "<", limit),
    )
    .returning("used"),
);

/** Counts one more unless the limit is reached: one statement, never more than the limit. @returns the count; null: it was reached */
export async function count(connection: Connection, window: LimitedWindow): Promise<number | null> {
  return (await rowOf(connection, COUNT(window)))?.used ?? null;
}

/** Names as the database has them in lower case: other rules would count some spellings apart. */
const keysOf = (names: readonly string[]) =>
  sql<Pick<Row<"rate_window">, "key">>`(select lower(name) as key from unnest(${names}::text[]) name)`;

/** Counts one more under each name, whatever the counts are. @returns the counts */
export async function countNames(connection: Connection, names: readonly string[], start: Date): Promise<number[]> {
  const counted = tables
    .selectFrom(keysOf(names).as("counted"))
    .select(["key", sql<Date>`${start}::timestamptz`.as("window_start"), sql.lit(1).as("used")])
    .orderBy("key");
  const insert = tables
    .insertInto("rate_window")
    .columns(["key", "window_start", "used"])
    .expression(counted)
    .onConflict((conflict) =>
      conflict.columns(["key", "window_start"]).doUpdateSet((row) => ({ used: row("rate_window.used", "+", 1) })),
    )
    .returning("used");
  return (await rowsOf(connection, insert)).map(({ used }) => used);
}

/** Subtracts one count under each name. */
export async function uncountNames(connection: Connection, names: readonly string[], start: Date): Promise<void> {
  const locked = tables
    .selectFrom("rate_window")
    .select(["key", "window_start"])
    .where("key", "in", sql<string>`${keysOf(names)}`)
    .where("window_start", "=", start)
    .orderBy("key")
    .forUpdate();
  const uncount = tables
    .updateTable("rate_window as w")
    .from(locked.as("locked"))
    .set((row) => ({ used: row("w.used", "-", 1) }))
    .whereRef("w.key", "=", "locked.key")
    .whereRef("w.window_start", "=", "locked.window_start")
    .where("w.used", ">", 0);
  await written(connection, uncount);
}

const DELETE_BEFORE = prepared<{ readonly start: Date }, never>("rate-window-delete", ({ start }) => {
  const over = tables
    .selectFrom("rate_window")
    .select(["key", "window_start"])
    .where("window_start", "<", start)
    .forUpdate()
    .skipLocked();
  return tables.deleteFrom("rate_window").where(sql<boolean>`(key, window_start) in (${over})`);
});

/** Deletes the windows that began before this moment; those that another process deletes are left to it. */
export async function deleteBefore(connection: Connection, start: Date): Promise<void> {
  await written(connection, DELETE_BEFORE({ start }));
}
