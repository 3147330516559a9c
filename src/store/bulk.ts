// Many rows by one statement: they are given as JSON, and rows that would not change are not written.
import { sql, type RawBuilder } from "kysely";
import type { Row, Tables } from "./tables.js";

type ColumnType =
  | "bigint"
  | "boolean"
  | "double precision"
  | "integer"
  | "jsonb"
  | "real"
  | "smallint"
  | "text"
  | "text[]"
  | "timestamptz"
  | "uuid";

/**
 * A table `alias` of records that are given as JSON.
 * @param columns of the records, each with its type
 */
export function records<Record extends object, Alias extends string>(
  json: RawBuilder<string>,
  alias: Alias,
  columns: { readonly [Column in keyof Record]: ColumnType },
) {
  const described = Object.entries<ColumnType>({ ...columns }).map(
    ([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`,
  );
  return sql<Record>`json_to_recordset(${json})`.as<Alias>(sql`${sql.ref(alias)} (${sql.join(described)})`);
}

/** What an insert does with a row that is there already. */
interface Replacement<Column extends string> {
  /** The columns, as the insert has them. */
  readonly set: { readonly [Name in Column]: RawBuilder<never> };
  /** Holds when one of them differs. */
  readonly differs: RawBuilder<boolean>;
}

/** Replaces these columns of a row that is there already, unless all are the same. */
export function replacing<Table extends keyof Tables, Column extends keyof Row<Table> & string>(
  table: Table,
  columns: readonly Column[],
): Replacement<Column> {
  const given = columns.map((column) => sql<never>`${sql.ref(`excluded.${column}`)}`);
  const kept = columns.map((column) => sql.ref(`${table}.${column}`));
  const set = Object.fromEntries(columns.map((column, index) => [column, given[index]]));
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has every column
    set: set as Replacement<Column>["set"],
    differs: sql<boolean>`(${sql.join(kept)}) is distinct from (${sql.join(given)})`,
  };
}
