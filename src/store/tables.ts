// The tables as the entities describe them. Statements built with `tables` have the columns and types of the schema;
// they run on a pool, or on the connection of a transaction.
import type { InferKyselyDB } from "@mikro-orm/sql";
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Compilable,
  type Selectable,
} from "kysely";
import type { QueryResult, QueryResultRow } from "pg";
import type { entities } from "../entities/index.js";

/** Columns of all tables, by table and column name. */
export type Tables = InferKyselyDB<(typeof entities)[number]>;

/** A row of one table, as a statement of ours returns it. */
export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

/**
 * Builds statements; runs none. The types are those of MikroORM's `em.getKysely()`, without its connection: a statement runs where
 * the caller's transaction is.
 */
export const tables = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** A pool, or the connection of a transaction. */
export interface Connection {
  query<Result extends QueryResultRow>(statement: {
    readonly text: string;
    readonly values: unknown[];
    readonly name?: string;
  }): Promise<QueryResult<Result>>;
}

/** Runs a statement. @returns its rows */
export async function rowsOf<Result extends QueryResultRow>(
  connection: Connection,
  statement: Compilable<Result>,
): Promise<Result[]> {
  const { sql, parameters } = statement.compile();
  const { rows } = await connection.query<Result>({ text: sql, values: [...parameters] });
  return rows;
}

/** Runs a statement that returns at most one row. */
export async function rowOf<Result extends QueryResultRow>(
  connection: Connection,
  statement: Compilable<Result>,
): Promise<Result | null> {
  return (await rowsOf(connection, statement))[0] ?? null;
}

/** Runs a statement that returns nothing. @returns how many rows it wrote */
export async function written(connection: Connection, statement: Compilable): Promise<number> {
  const { sql, parameters } = statement.compile();
  const { rowCount } = await connection.query({ text: sql, values: [...parameters] });
  return rowCount ?? 0;
}
