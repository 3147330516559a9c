// Agents of nodes: their tokens, and what they report.
import { sql } from "kysely";
import { records } from "./bulk.js";
import { prepared, rowsOf, tables, written, type Connection, type Given } from "./tables.js";

/** Gives a node's agent a token; one that it had before is void. */
export async function setToken(connection: Connection, nodeId: number, tokenHash: string): Promise<void> {
  const insert = tables
    .insertInto("agent")
    .values({ node_id: nodeId, token_hash: tokenHash })
    .onConflict((conflict) => conflict.column("node_id").doUpdateSet({ token_hash: tokenHash }));
  await written(connection, insert);
}

interface AgentToken {
  readonly tokenHash: string;
  readonly nodeId: number;
}

const OF_TOKENS = prepared<{ readonly hashes: readonly string[] }, AgentToken>("access agents", ({ hashes }) =>
  tables
    .selectFrom("agent")
    .select(["token_hash as tokenHash", "node_id as nodeId"])
    .where(sql<boolean>`token_hash = any(${hashes}::text[])`),
);

/** Those of these tokens that agents have, with the nodes of those agents. */
export const ofTokens = (connection: Connection, hashes: readonly string[]): Promise<AgentToken[]> =>
  rowsOf(connection, OF_TOKENS({ hashes }));

/** What an agent reports of itself. */
export interface Report {
  readonly nodeId: number;
  readonly version: string;
  readonly healthy: boolean;
  readonly problems: readonly string[];
  readonly natConfigured: boolean;
  readonly publicAddress: string | null;
}

const SHAPE = {
  nodeId: "integer",
  version: "text",
  healthy: "boolean",
  problems: "text[]",
  natConfigured: "boolean",
  publicAddress: "text",
} as const;

interface Reports {
  /** One for each node. */
  readonly reports: string;
  /** The same nodes: rows are found by index then, whatever PostgreSQL expects of the number of reports. */
  readonly nodeIds: readonly number[];
  readonly at: Date;
}

/** Part of a statement: what agents report. */
export const reporting = ({ reports, nodeIds, at }: Given<Reports>) =>
  tables
    .updateTable("agent as a")
    .from(records<Report, "r">(reports, "r", SHAPE))
    .set((row) => ({
      version: row.ref("r.version"),
      healthy: row.ref("r.healthy"),
      problems: sql`r.problems`,
      nat_configured: row.ref("r.natConfigured"),
      public_address: row.ref("r.publicAddress"),
      last_seen_at: at,
    }))
    .whereRef("a.node_id", "=", "r.nodeId")
    .where(sql<boolean>`a.node_id = any(${nodeIds}::integer[])`);
