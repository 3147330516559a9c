// The tables as the entities describe them. Statements built with `tables` have the columns and types of the schema;
// they run on a pool, or on the connection of a transaction.
import type { InferKyselyDB } from "@mikro-orm/sql";
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type Compilable,
  type Expression,
  type Insertable,
  type RawBuilder,
  type Selectable,
} from "kysely";
import type { QueryResult, QueryResultRow } from "pg";
import type { entities } from "../entities/index.js";

/** Columns of all tables, by table and column name. */
export type Tables = InferKyselyDB<(typeof entities)[number]>;

/** A row of one table, as a statement of ours returns it. */
export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;

/** A row to be inserted: what has a default may be left out. */
export type NewRow<Table extends keyof Tables> = Insertable<Tables[Table]>;

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

/** A statement of the builder, or one in SQL (Kysely's `sql`) that the builder cannot express. */
export type Statement<Result> = Compilable<Result> | RawBuilder<Result>;

/** The values of a prepared statement, as the statement itself refers to them. */
export type Given<Values> = { readonly [Name in keyof Values]-?: RawBuilder<Values[Name]> };

/** A statement that the server prepares once a connection, with the values of one run. */
export interface PreparedStatement<Result> extends Compilable<Result> {
  readonly name: string;
}

/** Stands in a compiled statement where a value of that name belongs. */
class Placeholder {
  constructor(readonly name: string) {}
}

/**
 * A statement that is compiled once, and prepared by the server under its name.
 * @param build makes the statement from placeholders; a value that decides between indexes is written with `sql.lit`
 */
export function prepared<Values extends object, Result>(
  name: string,
  build: (given: Given<Values>) => Statement<Result>,
): (values: Values) => PreparedStatement<Result> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every name has a placeholder
  const given = new Proxy({}, { get: (_, key) => sql`${new Placeholder(String(key))}` }) as Given<Values>;
  const compiled = build(given).compile(tables);
  const fill = (values: Values) => (parameter: unknown) =>
    parameter instanceof Placeholder ? Reflect.get(values, parameter.name) : parameter;
  return (values) => ({
    name,
    compile: () => ({ ...compiled, parameters: compiled.parameters.map(fill(values)) }),
  });
}

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
  statement: Statement<Result>,
): Promise<Result[]> {
  const { rows } = await connection.query<Result>(queryOf(statement));
  return rows;
}

/** Runs a statement that returns at most one row. */
export async function rowOf<Result extends QueryResultRow>(
  connection: Connection,
  statement: Statement<Result>,
): Promise<Result | null> {
  return (await rowsOf(connection, statement))[0] ?? null;
}

/** Runs an insert of one row. @returns what it returns @throws what the statement throws; Error when it inserted nothing */
export async function insertedRow<Result extends QueryResultRow>(
  connection: Connection,
  statement: Statement<Result>,
): Promise<Result> {
  const row = await rowOf(connection, statement);
  if (row === null) throw new Error("INSERT returned no row");
  return row;
}

/** Runs a statement that returns nothing. @returns how many rows it wrote */
export async function written(connection: Connection, statement: Statement<unknown>): Promise<number> {
  const { rowCount } = await connection.query(queryOf(statement));
  return rowCount ?? 0;
}

function queryOf(statement: Statement<unknown> | PreparedStatement<unknown>): Parameters<Connection["query"]>[0] {
  const { sql: text, parameters } = statement.compile(tables);
  return { text, values: [...parameters], ...("name" in statement && { name: statement.name }) };
}

/** A column that says whether a statement has a row. */
export const exists = (statement: Expression<unknown>): RawBuilder<boolean> => sql<boolean>`exists ${statement}`;

/** Runs an insert of one row, `returning id`. @returns the id @throws as `insertedRow` */
export const insertedId = async <Id>(connection: Connection, insert: Statement<{ readonly id: Id }>): Promise<Id> =>
  (await insertedRow(connection, insert)).id;
