// SQL for the standing work that no process does, and for scheduled tasks that are overdue or fail.
import { DUTIES, DUTY_WORDS, SCHEDULED_TASKS, type Duty } from "../core/duty.js";
import { SEEN_SECONDS, WORK_QUEUES, type WorkQueue } from "../core/workQueue.js";

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

const TASKS = SCHEDULED_TASKS.map(
  ({ name, everyHours, slackHours }) => `('${name}', interval '${everyHours} hours', interval '${slackHours} hours')`,
).join();

/**
 * Rows `task`, `since` (when its end was due at the latest, or when it last began in vain) and `error` of every scheduled task that has
 * been tried. Those whose `since` has passed are overdue. One that is claimed again forgets its error until that run has ended.
 */
export const LATE_TASKS = `
  select s.name as task, s.last_error as error,
    case when s.last_error is not null then s.last_started_at
      when s.last_finished_at is not null then s.last_finished_at + t.every + t.slack
      else coalesce(s.last_started_at, s.due_at) + t.slack end as since
  from schedule s join (values ${TASKS}) t (name, every, slack) on t.name = s.name`;
