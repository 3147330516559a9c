// Storages of nodes, as they were observed.
import { sql } from "kysely";
import { NodeStatus } from "../core/enums.js";
import { records, replacing } from "./bulk.js";
import * as nodeSamples from "./nodeSample.js";
import { prepared, tables, written, type Connection } from "./tables.js";

/** A storage of a node, named by the node. */
interface ObservedStorage {
  readonly node: string;
  readonly name: string;
  readonly type: string;
  readonly content: readonly string[];
  readonly shared: boolean;
  readonly active: boolean;
  readonly totalBytes: number;
  readonly usedBytes: number;
  /** Whether its host tells both; else they mean nothing. */
  readonly roomKnown: boolean;
}

interface ObservedStorages {
  readonly hostId: number;
  readonly storages: readonly ObservedStorage[];
  readonly samples: readonly nodeSamples.ObservedSample[];
}

interface Values {
  readonly hostId: number;
  readonly storages: string;
  readonly samples: string;
}

const SHAPE = {
  node: "text",
  name: "text",
  type: "text",
  content: "text[]",
  shared: "boolean",
  active: "boolean",
  totalBytes: "bigint",
  usedBytes: "bigint",
  roomKnown: "boolean",
} as const;

const COLUMNS = [
  "type",
  "content",
  "shared",
  "active",
  "total_bytes",
  "used_bytes",
  "free_bytes",
  "room_known",
] as const;
const REPLACED = replacing("storage", COLUMNS);

const IS_MISSING = sql<boolean>`not exists (select from observed o where o.node_id = s.node_id and o.name = s.name)`;
const NOTHING = sql.lit(0);

/** What is on a node that is away cannot be used, and has no figures, whether the host still reports it or not. */
const RECORD = prepared<Values, never>("storage-record", ({ hostId, storages, samples }) =>
  tables
    .with("sampled", () => nodeSamples.sampling({ hostId, samples }))
    .with("observed", (db) =>
      db
        .selectFrom(records<ObservedStorage, "o">(storages, "o", SHAPE))
        .innerJoin("node as n", (join) => join.onRef("n.name", "=", "o.node").on("n.host_id", "=", hostId))
        .select(["n.id as node_id", "o.name", "o.type", "o.content", "o.shared"])
        .select(sql<boolean>`o.active and n.status <> 'offline'`.as("active"))
        .select(["o.totalBytes as total_bytes", "o.usedBytes as used_bytes"])
        .select(sql<number>`greatest(o."totalBytes" - o."usedBytes", 0)`.as("free_bytes"))
        .select("o.roomKnown as room_known"),
    )
    .with("away", (db) =>
      db
        .updateTable("storage as s")
        .from("node as n")
        .set({
          active: sql.lit(false),
          total_bytes: NOTHING,
          used_bytes: NOTHING,
          free_bytes: NOTHING,
          room_known: sql.lit(false),
        })
        .whereRef("n.id", "=", "s.node_id")
        .where("n.host_id", "=", hostId)
        .where("n.status", "<>", sql.lit(NodeStatus.ONLINE))
        .where("s.active", "=", sql.lit(true))
        .where(IS_MISSING),
    )
    .with("gone", (db) =>
      db
        .deleteFrom("storage as s")
        .using("node as n")
        .whereRef("n.id", "=", "s.node_id")
        .where("n.host_id", "=", hostId)
        .where("n.status", "=", sql.lit(NodeStatus.ONLINE))
        .where(IS_MISSING),
    )
    .insertInto("storage")
    .columns(["node_id", "name", ...COLUMNS])
    .expression((db) => db.selectFrom("observed").select(["node_id", "name", ...COLUMNS]))
    .onConflict((conflict) => conflict.columns(["node_id", "name"]).doUpdateSet(REPLACED.set).where(REPLACED.differs)),
);

/** Writes the storages that a host reports, and the samples of its nodes' load. One that an online node no longer has goes. */
export async function record(connection: Connection, observed: ObservedStorages): Promise<void> {
  const { hostId, storages, samples } = observed;
  const values = { hostId, storages: JSON.stringify(storages), samples: JSON.stringify(samples) };
  await written(connection, RECORD(values));
}
