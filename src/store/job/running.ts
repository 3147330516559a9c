// Jobs that run: what a drain waits for.
import { sql } from "kysely";
import { JobStatus } from "../../core/enums.js";
import { rowsOf, tables, type Connection, type Row } from "../tables.js";

/** A job that was begun and has not ended. */
export type RunningJob = Pick<Row<"job">, "id" | "kind" | "step" | "node" | "vmid">;

/** All that run, oldest first. */
export const running = (connection: Connection): Promise<RunningJob[]> =>
  rowsOf(
    connection,
    tables
      .selectFrom("job")
      .select(["id", "kind", "step", "node", "vmid"])
      .where("status", "=", sql.lit(JobStatus.RUNNING))
      .orderBy("id"),
  );
