// Runs statements that return one JSON text, which is passed on as PostgreSQL composed it.
import { createHash } from "node:crypto";
import type { QueryResultRow } from "pg";
import type { Context } from "../../context/context.js";

/** What statements are sent through. */
export type Reader = Pick<Context, "pool">;

/** Runs a statement with one row and one column `json`, as text. */
export async function readJson<Result>(reader: Reader, text: string, values: unknown[]): Promise<Result> {
  const { json } = await readOne<{ json: string | null }>(reader, text, values);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement's own columns decide this shape; nothing from outside is parsed
  return JSON.parse(json ?? "null") as Result;
}

/** Runs a statement with one row. Prepared by name: the server plans it once a connection. */
export async function readOne<Columns extends object>(
  { pool }: Reader,
  text: string,
  values: unknown[],
): Promise<Columns> {
  const { rows } = await pool.query<Columns & QueryResultRow>({ name: statementName(text), text, values });
  const [row] = rows;
  if (row === undefined) throw new Error("A statement that always has one row had none");
  return row;
}

const statementNames = new Map<string, string>();
const MOST_STATEMENT_NAMES = 500;

function statementName(text: string): string | undefined {
  const known = statementNames.get(text);
  if (known !== undefined) return known;
  // A client that invents ever new documents must not fill every connection with prepared statements.
  if (statementNames.size >= MOST_STATEMENT_NAMES) return undefined;
  const name = `r${createHash("sha256").update(text).digest("base64url").slice(0, 20)}`;
  statementNames.set(text, name);
  return name;
}
