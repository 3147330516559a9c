// SQL of the warning that work waits and no recently seen worker serves its queue.
import { MOVE_KINDS, SEEN_SECONDS, WorkQueue } from "../../core/workQueue.js";

const WARNINGS: Readonly<Record<WorkQueue, string>> = {
  [WorkQueue.MIGRATIONS]:
    "no worker that serves migrations was seen in the last 2 minutes: start the service with the role worker, or see whether the scheduled job (drover worker --queue migrations --once) is there",
  [WorkQueue.JOBS]: "no worker was seen in the last 2 minutes: start the service with the role worker",
};

const DRAINED = "no jobs are begun at present: the work is drained (drover drain --end ends that)";

/** The warning while `waits` holds and no worker serves the queue, or work is drained; else null. */
export const unservedQueueWarning = (waits: string, queue: WorkQueue): string =>
  `case when ${waits} and not exists (select 1 from worker w where w.queues @> array['${queue}']
     and w.seen_at > now() - interval '${SEEN_SECONDS} seconds') then '${WARNINGS[queue]}'
   when ${waits} and exists (select from drain) then '${DRAINED}' end`;

const MOVES = MOVE_KINDS.map((kind) => `'${kind}'`).join();

/** The warning of a job, whichever queue it is in. */
export const unservedJobWarning = (row: string): string => {
  const waits = `(${row}.status = 'queued' or (${row}.status = 'running' and ${row}.lease_until < now()))`;
  return `coalesce(${unservedQueueWarning(`${row}.kind in (${MOVES}) and ${waits}`, WorkQueue.MIGRATIONS)},
    ${unservedQueueWarning(`${row}.kind not in (${MOVES}) and ${waits}`, WorkQueue.JOBS)})`;
};
