// The run that a job carries out.
import * as runs from "../../src/store/run/run.js";
import type { Connection } from "../../src/store/tables.js";

/** @throws Error when the job has no run: both are made in one transaction */
export async function runOf(connection: Connection, jobId: number): Promise<runs.RunRecord> {
  const run = await runs.ofJob(connection, jobId);
  if (run === null) throw new Error(`job ${jobId} has no run`);
  return run;
}
