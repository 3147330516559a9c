// Records that the guest is on the target now.
import { lost } from "../engine/journal.js";
import { targetOf, type MigrationContext } from "./context.js";

const MARK = `
  with held as (
    update job set facts = facts || '{"transferDone": true}' where id = $1 and lease_epoch = $2 and status = 'running' returning id
  )
  update migration set transfer_done = true, target_node = $3, bytes_copied = coalesce(bytes_total, bytes_copied) from held where migration.job_id = held.id`;

/** The commit point: from here on the guest is the target's, and all of it is there. @throws Fenced */
export async function markMoved(context: MigrationContext): Promise<void> {
  const { services, job } = context;
  const { rowCount } = await services.pool.query(MARK, [job.id, job.leaseEpoch, targetOf(context).node]);
  if (rowCount === 0) throw lost(job);
}
