// Runs reads: one SQL statement each, whose JSON holds exactly the fields that the client asked for.
import type { GraphQLResolveInfo } from "graphql";
import type { Viewer } from "../../access/viewer.js";
import type { Context } from "../../context/context.js";
import type { Page } from "../../core/paging.js";
import { JsonText } from "../../json/jsonText.js";
import { compiled, ROW, type WantedRecord } from "./compiled.js";
import { readJson, readOne } from "./json.js";
import type { ReadModel } from "./model.js";
import { missingSql, refuseMissing, type Missing, type Requirement } from "./requirement.js";
import type { Parameters } from "./statement.js";

/** One condition or order of a read; `row` is the model's alias, `value` adds a parameter and gives its placeholder. */
export type Clause = (row: string, value: (value: unknown) => string) => string;

export interface ListRead {
  readonly where?: readonly Clause[];
  /** Ends with a unique column, so that pages never overlap. */
  readonly orderBy: Clause;
}

export interface PageRead extends ListRead {
  readonly page: Page;
  /** SQL of the number of all that match, where it need not be counted; null or left out: it is counted. */
  readonly total?: Clause | null;
  /** What must be there, or the read is refused: the host whose list is asked for. */
  readonly requires?: readonly Requirement[];
}

/** Rows as the database gave them: keyed by field name, enum values lower case, moments as text. */
export type ReadRow = Record<string, unknown>;

export interface RowPage {
  /** Text when the context asks for it. */
  readonly items: ReadRow[] | JsonText;
  readonly meta: { readonly page: number; readonly perPage: number; readonly total: number };
}

interface PageColumns {
  readonly missing: Missing;
  /** JSON. */
  readonly items: string;
  readonly total: number;
}

/**
 * Reads one page of records and, when it was asked for, their number.
 * @throws DroverError the refusal of the first requirement that is not met
 */
export async function selectPage(
  context: Context,
  model: ReadModel,
  info: GraphQLResolveInfo,
  read: PageRead,
): Promise<RowPage> {
  const { columns, parameters, countsAll } = compiled(model, info, { path: ["items"] }, context);
  const value = (given: unknown): string => parameters.value(given);
  const source = `from ${model.from(ROW)}${whereSql(model, read.where, context.viewer, parameters)}`;
  const total = countsAll ? (read.total?.(ROW, value) ?? `(select count(*) ${source})`) : "0";
  const order = read.orderBy(ROW, value);
  const rows =
    read.page.offset === 0
      ? firstPageSql({ columns, source, order }, read.page)
      : laterPageSql(model, { columns, source, order }, limitsSql(read.page, value));
  const missing = missingSql(read.requires ?? [], context.viewer, parameters);
  const sql = `select ${missing} as missing, (select coalesce(json_agg(item), '[]')::text from (${rows}) item) as items, ${total} as total`;
  const found = await readOne<PageColumns>(context, sql, valuesOf(parameters, context, info));
  refuseMissing(read.requires ?? [], found.missing);
  const items: RowPage["items"] = context.recordsAsText ? new JsonText(found.items) : JSON.parse(found.items);
  return { items, meta: { page: read.page.page, perPage: read.page.perPage, total: found.total } };
}

interface PageSql {
  readonly columns: string;
  /** From the model's tables, with the conditions. */
  readonly source: string;
  readonly order: string;
}

/**
 * The page that is asked for again and again names its number of records: PostgreSQL then knows how few are wanted, and keeps its plan.
 * Of a parameter it expects a tenth of all rows, and plans each time, which takes as long as the page itself.
 */
const firstPageSql = ({ columns, source, order }: PageSql, { limit }: Page): string =>
  `select ${columns} ${source} order by ${order} limit ${limit}`;

/** With a key the page is found first: rows before it cost nothing but their place, however dear their columns are. */
function laterPageSql(model: ReadModel, { columns, source, order }: PageSql, limits: string): string {
  if (model.key === undefined) return `select ${columns} ${source} order by ${order} ${limits}`;
  const key = `${ROW}.${model.key}`;
  const page = `select ${key} ${source} order by ${order} ${limits}`;
  return `select ${columns} from ${model.from(ROW)} where ${key} = any(array(${page})) order by ${order}`;
}

const limitsSql = ({ limit, offset }: Page, value: (value: unknown) => string): string =>
  `limit ${value(limit)} offset ${value(offset)}`;

export interface RowsRead extends ListRead, WantedRecord {
  /** Most records; left out: all. */
  readonly limit?: number;
}

/**
 * Checks what a later read will ask for, which wants the same beside it. @throws DroverError forbidden, for a field that this
 * viewer may not ask for
 */
export function permitFields(context: Context, model: ReadModel, info: GraphQLResolveInfo, wanted: WantedRecord): void {
  compiled(model, info, wanted, context);
}

/** Reads all records that match, or the first of them. */
export async function selectRows(
  context: Context,
  model: ReadModel,
  info: GraphQLResolveInfo,
  read: RowsRead,
): Promise<ReadRow[]> {
  const { columns, parameters } = compiled(model, info, read, context);
  const value = (given: unknown): string => parameters.value(given);
  const where = whereSql(model, read.where, context.viewer, parameters);
  const limit = read.limit === undefined ? "" : ` limit ${value(read.limit)}`;
  const rows = `select ${columns} from ${model.from(ROW)}${where} order by ${read.orderBy(ROW, value)}${limit}`;
  const sql = `select coalesce(json_agg(item), '[]')::text as json from (${rows}) item`;
  return readJson<ReadRow[]>(context, sql, valuesOf(parameters, context, info));
}

interface RowColumns {
  readonly json: string | null;
}

/** Which record to read. */
interface RowRead extends WantedRecord {
  readonly where: readonly Clause[];
}

/** Reads one record; null when there is none that the viewer may see. */
export async function selectRow(
  context: Context,
  model: ReadModel,
  info: GraphQLResolveInfo,
  { where, path = [], also = [] }: RowRead,
): Promise<ReadRow | null> {
  const { columns, parameters } = compiled(model, info, { path, also }, context);
  const condition = whereSql(model, where, context.viewer, parameters);
  const row = `select ${columns} from ${model.from(ROW)}${condition} limit 1`;
  const sql = `select (select row_to_json(item)::text from (${row}) item) as json`;
  const { json } = await readOne<RowColumns>(context, sql, valuesOf(parameters, context, info));
  if (json === null) return null;
  const record: ReadRow = context.recordsAsText ? new JsonText(json) : JSON.parse(json);
  return record;
}

/** Reads the record of a model that always has exactly one. */
export async function selectOnly(context: Context, model: ReadModel, info: GraphQLResolveInfo): Promise<ReadRow> {
  const row = await selectRow(context, model, info, { where: [] });
  if (row === null) throw new Error(`${model.type} has no record`);
  return row;
}

function whereSql(
  model: ReadModel,
  where: readonly Clause[] | undefined,
  viewer: Viewer,
  parameters: Parameters,
): string {
  const clauses = (where ?? []).map((clause) => clause(ROW, (given) => parameters.value(given)));
  const visible = model.visible(ROW, viewer, parameters.bind);
  const all = visible === null ? clauses : [...clauses, visible];
  return all.length > 0 ? ` where ${all.join(" and ")}` : "";
}

function valuesOf(parameters: Parameters, { viewer, clock }: Context, info: GraphQLResolveInfo): unknown[] {
  return parameters.values({ viewer, now: clock.now(), variables: info.variableValues });
}
