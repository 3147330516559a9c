// Nodes of hosts, as they were observed.
import { sql } from "kysely";
import { NodeStatus } from "../core/enums.js";
import { records } from "./bulk.js";
import { prepared, rowOf, rowsOf, tables, written, type Connection, type Given, type Row } from "./tables.js";

/** A node as its host reports it. */
interface ObservedNode {
  readonly name: string;
  readonly status: NodeStatus;
  /** Null while the node is away. */
  readonly uptimeSeconds: number | null;
  readonly cpuCores: number;
  /** 0..1 */
  readonly cpuUsage: number;
  readonly memoryMb: number;
  readonly memoryUsedMb: number;
  /** Whether its host tells the load; else `cpuUsage` and `memoryUsedMb` mean nothing. */
  readonly loadKnown: boolean;
}

interface ObservedNodes {
  readonly hostId: number;
  readonly now: Date;
  readonly nodes: readonly ObservedNode[];
}

const RECORD = prepared<Omit<ObservedNodes, "nodes"> & { readonly nodes: string }, never>(
  "node-record",
  ({ hostId, now, nodes }) => {
    const observed = records<ObservedNode, "o">(nodes, "o", {
      name: "text",
      status: "text",
      uptimeSeconds: "double precision",
      cpuCores: "integer",
      cpuUsage: "double precision",
      memoryMb: "integer",
      memoryUsedMb: "integer",
      loadKnown: "boolean",
    });
    return tables
      .insertInto("node")
      .columns([
        "host_id",
        "name",
        "status",
        "started_at",
        "cpu_cores",
        "cpu_usage",
        "memory_mb",
        "memory_used_mb",
        "load_known",
      ])
      .expression(
        tables
          .selectFrom(observed)
          .select([
            sql<number>`${hostId}::integer`.as("host_id"),
            "name",
            "status",
            sql<Date | null>`${now}::timestamptz - "uptimeSeconds" * interval '1 second'`.as("started_at"),
            "cpuCores",
            "cpuUsage",
            "memoryMb",
            "memoryUsedMb",
            "loadKnown",
          ]),
      )
      .onConflict((conflict) =>
        conflict.columns(["host_id", "name"]).doUpdateSet((row) => ({
          status: row.ref("excluded.status"),
          started_at: sql`case when abs(extract(epoch from excluded.started_at - node.started_at)) < 10
            then node.started_at else excluded.started_at end`,
          cpu_cores: sql`case when excluded.cpu_cores > 0 then excluded.cpu_cores else node.cpu_cores end`,
          cpu_usage: row.ref("excluded.cpu_usage"),
          memory_mb: sql`case when excluded.memory_mb > 0 then excluded.memory_mb else node.memory_mb end`,
          memory_used_mb: row.ref("excluded.memory_used_mb"),
          load_known: row.ref("excluded.load_known"),
        })),
      );
  },
);

/** Writes the nodes that a host reports. Sizes that a node does not report stay, and so does its start within ten seconds. */
export async function record(connection: Connection, { nodes, ...observed }: ObservedNodes): Promise<void> {
  await written(connection, RECORD({ ...observed, nodes: JSON.stringify(nodes) }));
}

/** The nodes of a host that are no longer among these. */
interface Left {
  readonly hostId: number;
  readonly members: readonly string[];
}

const hasLeft = ({ members }: Left) => sql<boolean>`name <> all(${members}::text[])`;

/** Part of a statement: nodes that left their host's cluster are of unknown state. */
export const losing = (left: Left) =>
  tables
    .updateTable("node")
    .set({ status: NodeStatus.UNKNOWN })
    .where("host_id", "=", left.hostId)
    .where("status", "<>", NodeStatus.UNKNOWN)
    .where(hasLeft(left));

/** Part of a statement: those of them that no guest is on. */
export const leftEmpty = (left: Left) =>
  tables
    .selectFrom("node")
    .select("id")
    .where("host_id", "=", left.hostId)
    .where(hasLeft(left))
    .where(sql<boolean>`not exists (select from guest g where g.node_id = node.id and g.gone_at is null)`);

/** Part of a statement with a part `empty`: these nodes. */
export const deletionOfEmpty = tables
  .withTables<{ empty: { id: number } }>()
  .deleteFrom("node as n")
  .using("empty")
  .whereRef("n.id", "=", "empty.id");

/** A node and the SHA-256 of its certificate; null: its host does not tell, and what is known stays. */
export interface NodeCertificate {
  readonly name: string;
  readonly certificate: string | null;
}

/** Writes the certificates that are new. */
export async function recordCertificates(
  connection: Connection,
  hostId: number,
  members: readonly NodeCertificate[],
): Promise<void> {
  const read = records<NodeCertificate, "o">(sql`${JSON.stringify(members)}`, "o", {
    name: "text",
    certificate: "text",
  });
  const update = tables
    .updateTable("node as n")
    .from(read)
    .set((row) => ({ certificate: row.ref("o.certificate") }))
    .where("n.host_id", "=", hostId)
    .whereRef("n.name", "=", "o.name")
    .where("o.certificate", "is not", null)
    .where(sql<boolean>`n.certificate is distinct from o.certificate`);
  await written(connection, update);
}

/** What a node runs. */
interface NodeVersion {
  readonly node: string;
  /** The platform's version. */
  readonly version: string;
  /** Whether the rest was read now; else what is known stays, unless the platform was upgraded since. */
  readonly softwareKnown: boolean;
  readonly qemuServer: string | null;
  readonly pveContainer: string | null;
  readonly architecture: string | null;
}

interface ReadDetails {
  readonly hostId: number;
  readonly now: Date;
  readonly versions: readonly NodeVersion[];
}

/** Whether what is known of a node's packages stays: nothing newer was read, and the platform is as it was. */
const OF_SAME_VERSION = sql<boolean>`not o."softwareKnown" and n.version is not distinct from o.version`;

/** Records what these nodes run, and when their details were read. */
export async function recordDetails(connection: Connection, { hostId, now, versions }: ReadDetails): Promise<void> {
  const read = records<NodeVersion, "o">(sql`${JSON.stringify(versions)}`, "o", {
    node: "text",
    version: "text",
    softwareKnown: "boolean",
    qemuServer: "text",
    pveContainer: "text",
    architecture: "text",
  });
  const update = tables
    .updateTable("node as n")
    .from(read)
    .set((row) => ({
      version: row.ref("o.version"),
      details_read_at: now,
      qemu_server: sql<string | null>`case when ${OF_SAME_VERSION} then n.qemu_server else o."qemuServer" end`,
      pve_container: sql<string | null>`case when ${OF_SAME_VERSION} then n.pve_container else o."pveContainer" end`,
      architecture: sql<string | null>`case when o."softwareKnown" then o.architecture else n.architecture end`,
      software_read_at: sql<Date | null>`case when o."softwareKnown" then ${now}::timestamptz
        when ${OF_SAME_VERSION} then n.software_read_at end`,
    }))
    .where("n.host_id", "=", hostId)
    .whereRef("n.name", "=", "o.node");
  await written(connection, update);
}

/** Part of a statement: the averages of a host's nodes over half an hour. */
export const averaging = ({ hostId, now }: Given<{ readonly hostId: number; readonly now: Date }>) =>
  tables
    .updateTable("node as n")
    .from((db) =>
      db
        .selectFrom("node_sample as s")
        .innerJoin("node as m", "m.id", "s.node_id")
        .select("s.node_id")
        .select((row) => [row.fn.max("s.at").as("newest"), row.fn.avg<number>("s.cpu_usage").as("cpu")])
        .where("m.host_id", "=", hostId)
        .where(sql<boolean>`s.at > ${now}::timestamptz - interval '30 minutes'`)
        .where("s.at", "<=", now)
        .groupBy("s.node_id")
        .as("a"),
    )
    .set((row) => ({ sampled_at: row.ref("a.newest"), cpu_average_30m: row.ref("a.cpu") }))
    .whereRef("n.id", "=", "a.node_id");

/** Whether a host has a node of this name. */
export async function isThere(connection: Connection, hostId: number, name: string): Promise<boolean> {
  const node = tables.selectFrom("node").select("id").where("host_id", "=", hostId).where("name", "=", name);
  return (await rowOf(connection, node)) !== null;
}

/** A node by its name. */
interface NamedNode {
  readonly hostId: number;
  readonly name: string;
}

/** All nodes of these hosts. */
export const ofHosts = (connection: Connection, hostIds: readonly number[]): Promise<NamedNode[]> =>
  rowsOf(
    connection,
    tables
      .selectFrom("node")
      .select(["host_id as hostId", "name"])
      .where(sql<boolean>`host_id = any(${hostIds}::integer[])`),
  );

/** Locks nodes, in the order of their ids everywhere: otherwise two transactions could wait for each other. @returns those that there are */
export async function lock(connection: Connection, ids: readonly number[]): Promise<number[]> {
  const nodes = tables
    .selectFrom("node")
    .select("id")
    .where(sql<boolean>`id = any(${ids}::integer[])`)
    .orderBy("id")
    .forNoKeyUpdate();
  return (await rowsOf(connection, nodes)).map(({ id }) => id);
}

/** @returns the id of a node; null when there is no such node */
export async function idOf(connection: Connection, hostId: number, name: string): Promise<number | null> {
  const node = tables.selectFrom("node").select("id").where("host_id", "=", hostId).where("name", "=", name);
  return (await rowOf(connection, node))?.id ?? null;
}

/** Locks a node by its name. @returns its id; null when there is no such node */
export async function lockByName(connection: Connection, hostId: number, name: string): Promise<number | null> {
  const node = tables
    .selectFrom("node")
    .select("id")
    .where("host_id", "=", hostId)
    .where("name", "=", name)
    .forNoKeyUpdate();
  return (await rowOf(connection, node))?.id ?? null;
}

interface Silence {
  readonly at: Date;
  /** How long a host may be silent before the state of its nodes is unknown. */
  readonly toleratedSeconds: number;
}

/** Part of a statement with a part `failed`: nodes of a host that has been silent for long. A sync that is still to come, by a clock that was set back, does not count. */
export const silencing = ({ at, toleratedSeconds }: Silence) =>
  tables
    .withTables<{ failed: Pick<Row<"host">, "id" | "last_sync_at"> }>()
    .updateTable("node as n")
    .from("failed")
    .set({ status: NodeStatus.UNKNOWN })
    .whereRef("n.host_id", "=", "failed.id")
    .where("n.status", "<>", NodeStatus.UNKNOWN)
    .where(
      sql<boolean>`(failed.last_sync_at is null or failed.last_sync_at > ${at}
        or failed.last_sync_at < ${at}::timestamptz - ${toleratedSeconds}::float8 * interval '1 second')`,
    );
