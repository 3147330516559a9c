// Writes the operator's settings: one row.
import { sql } from "kysely";
import { settingColumn, type SettingName } from "../core/settings.js";
import { rowOf, tables, type Connection } from "./tables.js";

const WEIGHTS = ["ramWeight", "cpuWeight", "storageWeight"] as const satisfies readonly SettingName[];

/**
 * Sets these and leaves the rest. One statement, so that two changes at once never leave all weights at 0.
 * @returns false, and nothing is changed, if no weight would be above 0
 */
export async function change(
  connection: Connection,
  values: ReadonlyMap<SettingName, number | null>,
): Promise<boolean> {
  const weights = WEIGHTS.map((name) => sql`coalesce(${values.get(name) ?? null}, ${sql.ref(settingColumn(name))})`);
  const changed = tables
    .updateTable("setting")
    .set(Object.fromEntries([...values].map(([name, value]) => [settingColumn(name), value])))
    .where(sql<boolean>`${sql.join(weights, sql` + `)} > 0`)
    .returning("one_row");
  return (await rowOf(connection, changed)) !== null;
}
