// SQL for the status of a run, computed from its items.
import { WorkQueue } from "../../core/workQueue.js";
import { given, type Optional } from "../engine/criteria.js";
import { column, expression, many, moment, type Field } from "../engine/model.js";
import type { Clause } from "../engine/read.js";
import { runItems } from "./runItem.js";
import { unservedQueueWarning } from "./unservedQueue.js";

const items = (row: string, condition: string): string =>
  `(select count(*) from run_item ri where ri.run_id = ${row}.id and ${condition})`;

const SETTLED = `ri.status not in ('waiting', 'running')`;
const TOTAL = "true";

/** Skipped by Stop, not at its own turn. */
const NEVER_BEGUN = `ri.status = 'skipped' and ri.started_at is null`;
const MOVED = `ri.status in ('done', 'done_with_warnings')`;

/** Failed when nothing moved and something failed; warned when anything but a clean move happened to any guest. */
const status = (row: string): string => `case
    when ${row}.finished_at is null and ${row}.stop_requested_at is not null then 'stopping'
    when ${row}.finished_at is null and ${row}.started_at is null then 'queued'
    when ${row}.finished_at is null then 'running'
    when ${row}.stop_requested_at is not null and ${items(row, NEVER_BEGUN)} > 0 then 'stopped'
    when ${items(row, `ri.status = 'failed'`)} > 0 and ${items(row, MOVED)} = 0 then 'failed'
    when ${items(row, `ri.status <> 'done'`)} > 0 then 'done_with_warnings'
    else 'done'
  end`;

/** What evacuations and balance runs have in common. */
export const runFields: Readonly<Record<string, Field>> = {
  id: column("id"),
  status: expression(status),
  startedAt: moment("started_at"),
  finishedAt: moment("finished_at"),
  notice: expression((row) => unservedQueueWarning(`${row}.finished_at is null`, WorkQueue.MIGRATIONS)),
  items: many(
    () => runItems,
    (row, child) => `${child}.run_id = ${row}.id`,
    (child) => `${child}.position`,
  ),
  done: expression((row) => items(row, SETTLED)),
  total: expression((row) => items(row, TOTAL)),
  progress: expression((row) => `round(${items(row, SETTLED)}::numeric / greatest(1, ${items(row, TOTAL)}), 4)`),
};

/** The runs with these ids; left out: all. */
export const runClauses = (ids: Optional<readonly number[]>): Clause[] =>
  given(ids, (row, wanted) => `${row}.id = any(${wanted})`);
