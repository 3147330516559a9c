// All that the database holds, table by table, for tests that nothing of it changes.
import type { Pool } from "pg";

/** The rows of each table, as text, in an order of their own. */
export type Tables = ReadonlyMap<string, readonly string[]>;

const NAMES = `
  select tablename as name from pg_tables
  where schemaname = 'public' and tablename not like 'request_log%' and tablename not like 'agenda%' order by 1`;

/** @returns what all tables hold, as of one moment; the queue's own and the request log tell nothing of jobs */
export async function tablesOf(pool: Pick<Pool, "query">): Promise<Tables> {
  const { rows: names } = await pool.query<{ name: string }>(NAMES);
  const each = names.map(
    ({ name }) => `select '${name}' as name, array(select to_json(t)::text from "${name}" t order by 1) as rows`,
  );
  const { rows } = await pool.query<{ name: string; rows: readonly string[] }>(each.join(" union all "));
  return new Map(rows.map(({ name, rows: found }) => [name, found]));
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
