// All that the database holds, table by table, for tests that nothing of it changes.
import type { Pool } from "pg";

/** The rows of each table, as text, in an order of their own. */
export type Tables = ReadonlyMap<string, readonly string[]>;

/** @returns what all tables hold; the queue's own and the request log tell nothing of jobs */
export async function tablesOf(pool: Pool): Promise<Tables> {
  const { rows } = await pool.query<{ name: string }>(
    `select tablename as name from pg_tables
     where schemaname = 'public' and tablename not like 'request_log%' and tablename not like 'agenda%' order by 1`,
  );
  const tables = new Map<string, readonly string[]>();
  for (const { name } of rows) {
    const { rows: found } = await pool.query<{ row: string }>(
      `select to_json(t)::text as row from "${name}" t order by 1`,
    );
    tables.set(
      name,
      found.map(({ row }) => row),
    );
  }
  return tables;
}

/** Rows, as text, that were there before alone, and after alone. */
interface Difference {
  readonly gone: readonly string[];
  readonly come: readonly string[];
}

/** @returns how each table differs that does */
export function differences(before: Tables, after: Tables): Readonly<Record<string, Difference>> {
  const changed = [...after].flatMap(([name, rows]) => {
    const old = before.get(name) ?? [];
    const gone = old.filter((row) => !rows.includes(row));
    const come = rows.filter((row) => !old.includes(row));
    return gone.length + come.length === 0 ? [] : [[name, { gone, come }] as const];
  });
  return Object.fromEntries(changed);
}
