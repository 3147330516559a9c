// Records what the request log takes, and what was dropped to keep it within its budget.
import { sql } from "kysely";
import { tables, written, type Connection } from "./tables.js";

/** A dropped day is remembered for so long, so that an operator sees it. */
const REMEMBERED_DAYS = 7;

interface Measured {
  readonly at: Date;
  readonly bytes: number;
  /** The latest day (`2026-11-21`) that was dropped now; null: none. */
  readonly droppedThrough: string | null;
}

export async function record(connection: Connection, { at, bytes, droppedThrough }: Measured): Promise<void> {
  const dropped = { dropped_through: droppedThrough, dropped_at: droppedThrough === null ? null : at };
  const isRemembered = sql<boolean>`request_log_budget.dropped_at > ${at}::timestamptz - make_interval(days => ${REMEMBERED_DAYS})`;
  const kept = {
    dropped_through: sql<string | null>`case when ${isRemembered} then request_log_budget.dropped_through end`,
    dropped_at: sql<Date | null>`case when ${isRemembered} then request_log_budget.dropped_at end`,
  };
  await written(
    connection,
    tables
      .insertInto("request_log_budget")
      .values({ size_bytes: bytes, ...dropped })
      .onConflict((conflict) =>
        conflict.column("one_row").doUpdateSet({ size_bytes: bytes, ...(droppedThrough === null ? kept : dropped) }),
      ),
  );
}
