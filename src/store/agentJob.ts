// Jobs of agents, with their answers.
import { sql, type RawBuilder } from "kysely";
import { records } from "./bulk.js";
import { insertedId, rowOf, tables, written, type Connection, type Row } from "./tables.js";

type Kind = Row<"agent_job">["kind"];

interface NewJob {
  readonly nodeId: number;
  readonly kind: Kind;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Until the deadline, on the database's clock. */
  readonly timeoutMs: number;
}

/** @returns the id */
export function insert(connection: Connection, { nodeId, kind, payload, timeoutMs }: NewJob): Promise<string> {
  const job = {
    node_id: nodeId,
    kind,
    payload: JSON.stringify(payload),
    deadline: sql<Date>`now() + ${timeoutMs}::float8 * interval '1 ms'`,
  };
  return insertedId(connection, tables.insertInto("agent_job").values(job).returning("id"));
}

/** A job with what came of it so far, and the names of its node and host. */
export interface AskedJob {
  readonly status: Row<"agent_job">["status"];
  readonly error: string | null;
  readonly data: unknown;
  readonly node: string;
  readonly host: string;
}

/** @returns null when there is no such job: its node may have gone */
export const find = (connection: Connection, id: string): Promise<AskedJob | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("agent_job as j")
      .innerJoin("node as n", "n.id", "j.node_id")
      .innerJoin("host as h", "h.id", "n.host_id")
      .select(["j.status", "j.error", "j.data", "n.name as node", "h.name as host"])
      .where("j.id", "=", id),
  );

/** Deletes a job that has no answer. */
export async function withdraw(connection: Connection, id: string): Promise<void> {
  await written(connection, tables.deleteFrom("agent_job").where("id", "=", id).where("status", "=", "waiting"));
}

/** A node that is away for longer gets its forwards with the next change. */
const FORWARDS_DEADLINE = sql<Date>`now() + interval '30 days'`;

const FORWARDS = sql<string>`json_build_object('forwards', coalesce(json_agg(json_build_object(
  'id', f.id, 'protocol', f.protocol, 'public_port', f.public_port,
  'guest_address', host(f.guest_address), 'guest_port', f.guest_port) order by f.id), '[]'))`;

/**
 * Orders the forwards of a node, all of them: an order that waits or that failed is outdated. The caller holds the node's row,
 * since it changed the forwards.
 */
export async function orderForwards(connection: Connection, nodeId: number): Promise<void> {
  const outdated = (status: "waiting" | "failed") =>
    tables
      .deleteFrom("agent_job")
      .where("node_id", "=", nodeId)
      .where("kind", "=", sql.lit("apply_port_forwards"))
      .where("status", "=", sql.lit(status));
  const order = tables
    .with("outdated", () => outdated("waiting"))
    .with("failed", () => outdated("failed"))
    .insertInto("agent_job")
    .columns(["node_id", "kind", "payload", "deadline"])
    .expression((db) =>
      db
        .selectFrom("port_forward as f")
        .where("f.node_id", "=", nodeId)
        .select([
          sql<number>`${nodeId}::integer`.as("node_id"),
          sql<Kind>`'apply_port_forwards'`.as("kind"),
          FORWARDS.as("payload"),
          FORWARDS_DEADLINE.as("deadline"),
        ]),
    );
  await written(connection, order);
}

/** The newest order of a node's forwards, as it stands. @returns null when there is none */
export const newestOrder = (
  connection: Connection,
  nodeId: number,
): Promise<Pick<Row<"agent_job">, "status" | "error"> | null> =>
  rowOf(
    connection,
    tables
      .selectFrom("agent_job")
      .select(["status", "error"])
      .where("node_id", "=", nodeId)
      .where("kind", "=", sql.lit("apply_port_forwards"))
      .orderBy("created_at", "desc")
      .limit(1),
  );

/** What came of a job. */
export interface JobResult {
  readonly nodeId: number;
  readonly id: string;
  readonly status: "done" | "failed";
  readonly error?: string | null | undefined;
  readonly data?: unknown;
}

const RESULT = { nodeId: "integer", id: "uuid", status: "text", error: "text", data: "jsonb" } as const;

/** Part of a statement: a table of results. */
export const results = (given: RawBuilder<string>) =>
  tables.selectFrom(records<JobResult, "r">(given, "r", RESULT)).selectAll();

/** Part of a statement with a part `result`: agents settle the jobs of their own nodes; a result that is repeated changes nothing. */
export const settling = tables
  .withTables<{ result: JobResult }>()
  .updateTable("agent_job as j")
  .from("result as r")
  .set((row) => ({
    status: row.ref("r.status"),
    data: sql`coalesce(r.data, '{}')`,
    finished_at: sql`service_now()`,
    error: sql`case when r.status = 'failed' then coalesce(r.error, 'the agent gave no reason') end`,
  }))
  .whereRef("j.id", "=", "r.id")
  .whereRef("j.node_id", "=", "r.nodeId")
  .where("j.status", "=", sql.lit("waiting"));

interface Retention {
  readonly at: Date;
  readonly hours: number;
}

/** Deletes what ended so long ago, and what nobody answered or withdrew so long after its deadline, which is the database's. */
export async function deleteEnded(connection: Connection, { at, hours }: Retention): Promise<void> {
  const age = sql`${hours}::float8 * interval '1 hour'`;
  const remove = tables
    .deleteFrom("agent_job")
    .where(sql<boolean>`finished_at < ${at}::timestamptz - ${age} or deadline < now() - ${age}`);
  await written(connection, remove);
}
