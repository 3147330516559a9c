// What the journal has of a rollback.
import type { Pool } from "pg";

/** The undo of one step. */
interface RecordedUndo {
  readonly name: string;
  readonly undo: string;
  readonly left: string | null;
}

/** @returns the undos of a job, in the order of its rollback */
export async function undosOf({ pool }: { readonly pool: Pool }, jobId: number): Promise<readonly RecordedUndo[]> {
  const { rows } = await pool.query<RecordedUndo>(
    `select name, undo_status as undo, undo_error as left from job_step where job_id = $1 and undo_status is not null
     order by position desc`,
    [jobId],
  );
  return rows;
}
