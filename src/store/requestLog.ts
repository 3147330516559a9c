// Lines of the request log. Whoever inserts some makes the partitions of their days first.
import { sql } from "kysely";
import { records } from "./bulk.js";
import { prepared, tables, written, type Connection, type Given } from "./tables.js";

/** One API request and how it was answered. */
interface RequestLine {
  readonly at: Date;
  readonly tokenId: number | null;
  readonly tokenName: string | null;
  readonly sourceIp: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
}

const COLUMNS = ["at", "token_id", "token_name", "source_ip", "method", "path", "status", "duration_ms"] as const;

/** The columns of many lines. */
type Lines = { readonly [Column in keyof RequestLine]: readonly RequestLine[Column][] };

const INSERT = prepared<Lines, never>("request-log-insert", (lines) =>
  tables.insertInto("request_log").columns(COLUMNS).expression(sql`
    select * from unnest(${lines.at}::timestamptz[], ${lines.tokenId}::integer[], ${lines.tokenName}::text[],
      ${lines.sourceIp}::text[], ${lines.method}::text[], ${lines.path}::text[], ${lines.status}::smallint[],
      ${lines.durationMs}::real[])`),
);

export async function insert(connection: Connection, lines: readonly RequestLine[]): Promise<void> {
  const columns = {
    at: lines.map(({ at }) => at),
    tokenId: lines.map(({ tokenId }) => tokenId),
    tokenName: lines.map(({ tokenName }) => tokenName),
    sourceIp: lines.map(({ sourceIp }) => sourceIp),
    method: lines.map(({ method }) => method),
    path: lines.map(({ path }) => path),
    status: lines.map(({ status }) => status),
    durationMs: lines.map(({ durationMs }) => durationMs),
  };
  await written(connection, INSERT(columns));
}

/** The line of an agent's report. */
export interface ReportLine {
  readonly nodeId: number;
  readonly at: Date;
  readonly sourceIp: string;
  /** Before the statement. */
  readonly durationMs: number;
  /** It is not answered before there is work, and logged then. */
  readonly stays: boolean;
}

const REPORT = {
  nodeId: "integer",
  at: "timestamptz",
  sourceIp: "text",
  durationMs: "real",
  stays: "boolean",
} as const;

/** What a report is answered. */
interface ReportAnswer {
  readonly nodeId: number;
  readonly jobs: readonly unknown[] | null;
}

const STATEMENT_MS = sql<number>`(select date_part('epoch', clock_timestamp() - statement_timestamp()) * 1000)::real`;

/** Part of a statement with a part `reply`: the lines of agents' reports. One that stays is logged when its node is gone or has work. */
export const insertionOfReports = ({ lines, path }: Given<{ readonly lines: string; readonly path: string }>) =>
  tables
    .withTables<{ reply: ReportAnswer }>()
    .insertInto("request_log")
    .columns(COLUMNS)
    .expression((db) =>
      db
        .selectFrom(records<ReportLine, "l">(lines, "l", REPORT))
        .leftJoin("reply as r", "r.nodeId", "l.nodeId")
        .select([
          "l.at",
          sql<null>`null::integer`.as("token_id"),
          sql<null>`null`.as("token_name"),
          "l.sourceIp",
          sql<string>`'POST'`.as("method"),
          sql<string>`${path}::text`.as("path"),
          sql<number>`case when r."nodeId" is null then 404 else 200 end`.as("status"),
          sql<number>`l."durationMs" + ${STATEMENT_MS}`.as("duration_ms"),
        ])
        .where(sql<boolean>`(not l.stays or r."nodeId" is null or r.jobs is not null)`),
    );
