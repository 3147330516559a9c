// What a readable record is made of: which SQL gives each field of a GraphQL type, and who may see the row.
import type { Viewer } from "../../access/viewer.js";
import type { Permission } from "../../core/access/permissions.js";
import type { Bind } from "./statement.js";

/** A field that one SQL expression gives. `row` is the alias of the model's table in the statement. */
export interface Column {
  readonly kind: "column";
  sql(row: string, bind: Bind, viewer: Viewer): string;
}

/** A field that is one record of another model, or null. */
export interface One {
  readonly kind: "one";
  readonly model: () => ReadModel;
  /** SQL condition that ties the other record's `child` row to this `row`. */
  on(row: string, child: string): string;
  /** What a viewer needs to ask for it at all. */
  readonly permission?: Permission;
}

/** A field that is a list of records of another model. */
export interface Many {
  readonly kind: "many";
  readonly model: () => ReadModel;
  on(row: string, child: string, argument: (name: string) => string, bind: Bind): string;
  orderBy(child: string): string;
  /** Takes one page of them, by its arguments `page` and `perPage`. */
  readonly paged?: true;
  /** Arguments of the field with their defaults; the field is then keyed by them. */
  readonly arguments?: Readonly<Record<string, unknown>>;
}

export type Field = Column | One | Many;

/** How one GraphQL object type is read. */
export interface ReadModel {
  /** Name of the GraphQL type. */
  readonly type: string;
  /** Unique column of the main table, if it has one alone. */
  readonly key?: string;
  /**
   * The FROM clause; the main table's alias is `row`, helpers are prefixed with it. Helpers that always have their row are joined
   * with LEFT JOIN too: PostgreSQL leaves them out where they are not used, as when rows are counted.
   */
  from(row: string): string;
  /** SQL condition that holds for rows which this kind of viewer may see; null: every row. */
  visible(row: string, viewer: Viewer, bind: Bind): string | null;
  readonly fields: Readonly<Record<string, Field>>;
}

/** What a record is called in a sentence: `Balance run`. */
export const nameOfRecord = ({ type }: ReadModel): string =>
  type.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** A field given by a column of the main table. */
export const column = (name: string): Column => ({ kind: "column", sql: (row) => `${row}.${name}` });

/** A field given by an SQL expression. */
export const expression = (sql: Column["sql"]): Column => ({ kind: "column", sql });

/** A moment in RFC 3339, UTC, milliseconds: the one format of the whole service. An interval is UTC without a look-up of its name. */
export const momentSql = (sql: string): string =>
  `to_char(${sql} at time zone interval '0', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Bytes in GiB to two decimal places, halves up; exact, and half the work of `numeric`. */
export const gibSql = (bytes: string): string => `floor(${bytes} * 100::float8 / 1073741824 + 0.5) / 100`;

/** From one moment to another in seconds, with fractions. */
export const secondsSql = (from: string, to: string): string => `date_part('epoch', ${to} - ${from})`;

/** A field given by a timestamptz column. */
export const moment = (name: string): Column => expression((row) => momentSql(`${row}.${name}`));

/** A field that leads to one other record. */
export const one = (model: () => ReadModel, on: One["on"]): One => ({ kind: "one", model, on });

/** A field that leads to other records, in this order. */
export const many = (model: () => ReadModel, on: Many["on"], orderBy: Many["orderBy"]): Many => ({
  kind: "many",
  model,
  on,
  orderBy,
});

/** Every viewer who gets here may see every row. */
export const visibleToAll = (): null => null;
