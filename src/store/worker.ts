// Writes which workers there are, with the queues that they serve, and whether work is drained.
import { sql } from "kysely";
import { rowOf, tables, written, type Connection, type Row } from "./tables.js";

/** A worker by its name in the database. */
export interface Registration {
  readonly name: string;
  readonly queues: readonly string[];
  /** The standing work that it does beside them. */
  readonly duties: readonly string[];
}

/** A drain that lasts. */
export interface Drain {
  readonly begunBy: Row<"drain">["begun_by"];
  readonly since: Row<"drain">["since"];
}

/** Records that a worker is there now, and deletes those that have not been seen for days. @returns the author of the drain that lasts; null: there is none */
export async function registerWorker(
  connection: Connection,
  { name, queues, duties }: Registration,
): Promise<string | null> {
  const statement = tables
    .with("forgotten", (db) =>
      db
        .deleteFrom("worker")
        .where("seen_at", "<", sql<Date>`now() - interval '2 days'`)
        .where("name", "<>", name),
    )
    .insertInto("worker")
    .values({ name, queues: [...queues], duties: [...duties] })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet((row) => ({
        queues: row.ref("excluded.queues"),
        duties: row.ref("excluded.duties"),
        seen_at: sql<Date>`now()`,
      })),
    )
    .returning((row) => row.selectFrom("drain").select("begun_by").as("drainedBy"));
  return (await rowOf(connection, statement))?.drainedBy ?? null;
}

/** Deletes the record of a worker. */
export async function unregisterWorker(connection: Connection, name: string): Promise<void> {
  await written(connection, tables.deleteFrom("worker").where("name", "=", name));
}

/** Begins a drain; one that lasts already stays as it is. */
export async function insertDrain(connection: Connection, begunBy: string): Promise<void> {
  const drain = tables.insertInto("drain").values({ begun_by: begunBy });
  await written(
    connection,
    drain.onConflict((conflict) => conflict.doNothing()),
  );
}

/** The drain that lasts. @returns null when there is none */
export const lastingDrain = (connection: Connection): Promise<Drain | null> =>
  rowOf(connection, tables.selectFrom("drain").select(["begun_by as begunBy", "since"]));

/** Ends the drain. @returns it; null: there was none */
export const deleteDrain = (connection: Connection): Promise<Drain | null> =>
  rowOf(connection, tables.deleteFrom("drain").returning(["begun_by as begunBy", "since"]));

/** Whether a drain lasts. */
export const isDrained = async (connection: Connection): Promise<boolean> =>
  (await rowOf(connection, tables.selectFrom("drain").select("since"))) !== null;
