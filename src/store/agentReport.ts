// What agents report, taken together: their state, the results of their jobs, and the lines of the request log.
import { sql } from "kysely";
import * as agents from "./agent.js";
import type { Report } from "./agent.js";
import * as agentJobs from "./agentJob.js";
import type { JobResult } from "./agentJob.js";
import * as requestLog from "./requestLog.js";
import type { ReportLine } from "./requestLog.js";
import { prepared, rowOf, rowsOf, tables, type Connection } from "./tables.js";

/** A job as its agent gets it. */
export interface WaitingJob {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  /** ISO 8601. */
  readonly deadline: string;
}

/** What a node's agent is answered from. */
export interface ReportedNode {
  readonly nodeId: number;
  readonly node: string;
  /** Null: none. */
  readonly jobs: readonly WaitingJob[] | null;
}

interface Values {
  readonly reports: string;
  readonly results: string;
  readonly at: Date;
  readonly nodeIds: readonly number[];
  readonly lines: string;
  readonly path: string;
}

/** Jobs `j` that wait, oldest first. */
const WAITING_JOBS = sql<readonly WaitingJob[] | null>`
  json_agg(json_build_object('id', j.id, 'kind', j.kind, 'payload', j.payload,
    'deadline', to_char(j.deadline at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by j.created_at)`;

const IS_WAITING = sql<boolean>`j.status = 'waiting' and j.deadline > now()`;

const RECORD = prepared<Values, ReportedNode>("agent-report", (given) =>
  tables
    .with("seen", () => agents.reporting(given))
    .with("result", () => agentJobs.results(given.results))
    .with("settled", () => agentJobs.settling)
    .with("reply", (db) =>
      db
        .selectFrom("node as n")
        .select(["n.id as nodeId", "n.name as node"])
        .select((row) =>
          row
            .selectFrom("agent_job as j")
            .select(WAITING_JOBS.as("jobs"))
            .whereRef("j.node_id", "=", "n.id")
            .where(IS_WAITING)
            .where(sql<boolean>`(j.node_id, j.id) not in (select "nodeId", id from result)`)
            .as("jobs"),
        )
        .where(sql<boolean>`n.id = any(${given.nodeIds}::integer[])`),
    )
    .with("logged", () => requestLog.insertionOfReports(given))
    .selectFrom("reply")
    .select(["nodeId", "node", "jobs"]),
);

interface Reports {
  /** One for each node, in the order of their ids everywhere: otherwise two statements could wait for each other. */
  readonly reports: readonly Report[];
  /** Each once. */
  readonly results: readonly JobResult[];
  readonly at: Date;
  readonly lines: readonly ReportLine[];
  /** Of the requests. */
  readonly path: string;
}

/** Writes reports by one statement. The partitions of the lines' days must be there. @returns the nodes that there still are */
export function record(connection: Connection, given: Reports): Promise<ReportedNode[]> {
  const { reports, results, at, lines, path } = given;
  return rowsOf(
    connection,
    RECORD({
      reports: JSON.stringify(reports),
      results: JSON.stringify(results),
      at,
      nodeIds: reports.map(({ nodeId }) => nodeId),
      lines: JSON.stringify(lines),
      path,
    }),
  );
}

const WAITING = prepared<{ readonly nodeId: number }, Pick<ReportedNode, "jobs">>("agent-jobs-waiting", ({ nodeId }) =>
  tables.selectFrom("agent_job as j").select(WAITING_JOBS.as("jobs")).where("j.node_id", "=", nodeId).where(IS_WAITING),
);

/** @returns the jobs that wait for a node's agent */
export async function waitingJobs(connection: Connection, nodeId: number): Promise<readonly WaitingJob[]> {
  return (await rowOf(connection, WAITING({ nodeId })))?.jobs ?? [];
}
