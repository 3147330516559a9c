// SQL for the standing work that no process does, and for scheduled tasks that are overdue or fail.
import { DUTIES, DUTY_WORDS, PERIODIC_TASKS, type Duty } from "../../core/duty.js";
import { SEEN_SECONDS, WORK_QUEUES, type WorkQueue } from "../../core/workQueue.js";

const isQueue = (duty: Duty): duty is WorkQueue => WORK_QUEUES.some((queue) => queue === duty);

/** A worker of a release that did not name its duties yet did whatever is no queue. */
const done = (duty: Duty): string =>
  isQueue(duty) ? `w.queues @> array['${duty}']` : `(w.duties is null or w.duties @> array['${duty}'])`;

/** Rows `duty` and `words` of what no process has done for two minutes. */
export const UNATTENDED_DUTIES = DUTIES.map(
  (duty) => `
  select '${duty}' as duty, '${DUTY_WORDS[duty].replaceAll("'", "''")}' as words where not exists (
    select 1 from worker w where ${done(duty)} and w.seen_at > now() - interval '${SEEN_SECONDS} seconds')`,
).join(" union all");

const TASKS = PERIODIC_TASKS.map(
  ({ name, everyMinutes, slackMinutes }) =>
    `('${name}', interval '${everyMinutes} minutes', interval '${slackMinutes} minutes')`,
).join();

/**
 * Rows `task`, `since` (when its end was due at the latest, or when it last began in vain) and `error` of every periodic task that has
 * been tried. Those whose `since` has passed are overdue. One that begins again forgets its error until that run has ended.
 */
export const LATE_TASKS = `
  select r.name as task, r.error,
    case when r.error is not null then r.started_at
      when r.finished_at is not null then r.finished_at + t.every + t.slack
      else r.started_at + t.slack end as since
  from task_run r join (values ${TASKS}) t (name, every, slack) on t.name = r.name`;
