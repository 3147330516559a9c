// Samples of the load of nodes.
import { sql, type RawBuilder } from "kysely";
import { records, replacing } from "./bulk.js";
import { prepared, tables, written, type Connection } from "./tables.js";

/** The load of a node at one moment, or its average over a minute. */
export interface ObservedSample {
  readonly node: string;
  /** Seconds since 1970. */
  readonly at: number;
  readonly cpuUsage: number;
  readonly memoryUsedMb: number;
}

const SAMPLE = replacing("node_sample", ["cpu_usage", "memory_used_mb"]);

/** Part of a statement: samples of a host's nodes, one a minute. The platform's own averages replace what was sampled meanwhile. */
export const sampling = ({
  hostId,
  samples,
}: {
  readonly hostId: RawBuilder<number>;
  readonly samples: RawBuilder<string>;
}) =>
  tables
    .insertInto("node_sample")
    .columns(["node_id", "at", "cpu_usage", "memory_used_mb"])
    .expression(
      tables
        .selectFrom(
          records<ObservedSample, "o">(samples, "o", {
            node: "text",
            at: "double precision",
            cpuUsage: "double precision",
            memoryUsedMb: "double precision",
          }),
        )
        .innerJoin("node as n", (join) => join.onRef("n.name", "=", "o.node").on("n.host_id", "=", hostId))
        .select([
          "n.id",
          sql<Date>`date_trunc('minute', to_timestamp(o.at))`.as("minute"),
          sql<number>`avg(o."cpuUsage")`.as("cpu_usage"),
          sql<number>`avg(o."memoryUsedMb")::integer`.as("memory_used_mb"),
        ])
        .groupBy(["n.id", "minute"]),
    )
    .onConflict((conflict) => conflict.columns(["node_id", "at"]).doUpdateSet(SAMPLE.set).where(SAMPLE.differs));

const RECORD = prepared<{ readonly hostId: number; readonly samples: string }, never>("node-samples", (given) =>
  sampling(given),
);

/** Writes samples of a host's nodes. */
export async function record(
  connection: Connection,
  hostId: number,
  samples: readonly ObservedSample[],
): Promise<void> {
  await written(connection, RECORD({ hostId, samples: JSON.stringify(samples) }));
}

/** Deletes the samples before this moment. */
export async function deleteBefore(connection: Connection, moment: Date): Promise<void> {
  await written(connection, tables.deleteFrom("node_sample").where("at", "<", moment));
}
