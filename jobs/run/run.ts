// Reads the run that a job carries out.
import type { Pool } from "pg";
import type { Scope } from "../../src/core/access/scope.js";

export interface RunRecord {
  readonly id: number;
  readonly jobId: number;
  readonly kind: "evacuation" | "balance_run";
  /** Hosts that guests may go to. */
  readonly scope: Scope;
  readonly targetHostId: number | null;
  readonly targetNode: string | null;
  readonly ipZoneId: number | null;
  readonly dropPortForwards: boolean;
}

/** @throws Error when the job has no run: both are made in one transaction */
export async function runOf(pool: Pool, jobId: number): Promise<RunRecord> {
  const { rows } = await pool.query<RunRecord>(
    `select id, job_id as "jobId", kind, host_scope as scope, target_host_id as "targetHostId", target_node as "targetNode",
       ip_zone_id as "ipZoneId", drop_port_forwards as "dropPortForwards" from run where job_id = $1`,
    [jobId],
  );
  const [run] = rows;
  if (run === undefined) throw new Error(`job ${jobId} has no run`);
  return run;
}
