// When and from where credentials were used, as a table that a statement joins.
import { sql } from "kysely";

/** A use of the credential of an id. */
export interface Use {
  readonly id: number;
  readonly at: Date;
  readonly sourceIp: string;
}

/** The table `used`, a row for each use. */
export function usedTable(uses: readonly Use[]) {
  const columns = [
    sql`${uses.map(({ id }) => id)}::integer[]`,
    sql`${uses.map(({ at }) => at)}::timestamptz[]`,
    sql`${uses.map(({ sourceIp }) => sourceIp)}::text[]`,
  ];
  return sql<Use>`unnest(${sql.join(columns)})`.as<"used">(sql`used (id, at, "sourceIp")`);
}

/** The ids, for a condition. */
export const idsOf = (uses: readonly Use[]) => sql<number>`(select unnest(${uses.map(({ id }) => id)}::integer[]))`;
