// Reads migrations, with where their jobs stand.
import type { Reads } from "../../context/context.js";
import { JobKind, MigrationStatus } from "../../core/enums.js";
import { guestLockSql } from "../../core/guest/lock.js";
import { WorkQueue } from "../../core/workQueue.js";
import { given, givenAny, type Optional } from "../engine/criteria.js";
import { column, expression, moment, momentSql, type ReadModel } from "../engine/model.js";
import type { Clause } from "../engine/read.js";
import { jobWarningsSql } from "./jobWarnings.js";
import { rollbackOf, undoneStepsOf } from "./rollback.js";
import { unservedQueueWarning } from "./unservedQueue.js";
import { visibleMove } from "./visibility.js";
import { waitingForOf } from "./waitingFor.js";

const job = (row: string): string => `${row}_job`;
const copy = (row: string): string => `${row}_copy`;

/** Running only while a worker holds the lease; one that was killed has left the move waiting for another. */
const statusSql = (row: string): string =>
  `case when ${row}.status = 'running' and ${job(row)}.lease_until < now() then 'queued' else ${row}.status end`;

const secondsSql = (row: string): string =>
  `extract(epoch from coalesce(${row}.finished_at, service_now()) - ${row}.started_at)`;

/** Unknown until the transfer reports figures; never decreases. */
const progressSql = (row: string): string => `case
  when ${row}.status in ('done', 'done_with_warnings') then 1
  when ${job(row)}.step = 'transfer' and not ${row}.transfer_done and ${row}.bytes_copied is null then null
  else round(coalesce(${job(row)}.progress, 0)::numeric, 4) end`;

/** Whose jobs take a copy away; others may hold it too, such as the move that has just made it. */
const DELETING = `('${JobKind.SAFETY_COPY_DELETE}', '${JobKind.GUEST_DELETE}')`;

const safetyCopySql = (row: string): string => `case
  when ${row}.safety_copy_guest_id is null then 'none'
  when ${copy(row)}.id is null then 'deleted'
  when exists (select 1 from resource_lock l join job holder on holder.id = l.job_id
    where l.key = ${guestLockSql(copy(row))} and holder.kind in ${DELETING}) then 'deleting'
  else 'kept' end`;

/** Condition on a row of `migration`: the guest is still there, and has not been moved again since. */
export const isLatestMove = (row: string): string =>
  `(exists (select 1 from guest mg where mg.id = ${row}.guest_id and mg.gone_at is null)
    and not exists (select 1 from migration later where later.guest_id = ${row}.guest_id and later.id > ${row}.id))`;

/** Condition on a row of `migration`: what it was to do can still be done. */
const isWithinReach = (row: string): string =>
  `(${isLatestMove(row)} and exists (select 1 from host mh where mh.id = ${row}.target_host_id))`;

/** Whether what a migration was to do can still be done. */
export async function isMoveWithinReach(reads: Reads, id: number): Promise<boolean> {
  const text = `select 1 from migration m where m.id = $1 and ${isWithinReach("m")}`;
  return (await reads.query({ text, values: [id] })).rows.length > 0;
}

export const migrations: ReadModel = {
  type: "Migration",
  from: (row) =>
    `migration ${row} left join job ${job(row)} on ${job(row)}.id = ${row}.job_id
     left join guest ${copy(row)} on ${copy(row)}.id = ${row}.safety_copy_guest_id and ${copy(row)}.gone_at is null`,
  // Its resolvers ask for `hosts.manage`.
  visible: visibleMove,
  fields: {
    id: column("id"),
    jobId: column("job_id"),
    guestName: column("guest_name"),
    guestType: column("guest_type"),
    vmid: column("vmid"),
    targetVmid: column("target_vmid"),
    sourceHostId: column("source_host_id"),
    sourceNode: column("source_node"),
    targetHostId: column("target_host_id"),
    targetNode: column("target_node"),
    mode: column("mode"),
    status: expression(statusSql),
    step: expression(
      (row) =>
        `case when ${row}.status in ('done', 'done_with_warnings') then 'finished' else coalesce(${job(row)}.step, 'preflight') end`,
    ),
    error: column("error"),
    warnings: expression((row) => jobWarningsSql(`${row}.job_id`)),
    planWarnings: column("foreseen"),
    notice: expression((row) => unservedQueueWarning(`${statusSql(row)} = 'queued'`, WorkQueue.MIGRATIONS)),
    rollback: rollbackOf((row) => `${row}.job_id`),
    undoneSteps: undoneStepsOf((row) => `${row}.job_id`),
    waitingFor: waitingForOf((row) => `${row}.job_id`),
    startedAt: moment("started_at"),
    finishedAt: moment("finished_at"),
    durationSeconds: expression((row) => `round(${secondsSql(row)})::int`),
    bytesTotal: column("bytes_total"),
    bytesCopied: column("bytes_copied"),
    averageBytesPerSecond: expression(
      (row) =>
        `case when ${row}.bytes_copied is not null and ${secondsSql(row)} > 0 then round(${row}.bytes_copied / ${secondsSql(row)})::bigint end`,
    ),
    progress: expression(progressSql),
    transferDone: column("transfer_done"),
    retryable: expression(
      (row) =>
        `(${row}.status in ('failed', 'done_with_warnings') and ${job(row)}.id is not null and ${isWithinReach(row)})`,
    ),
    safetyCopy: expression(safetyCopySql),
    safetyCopyDeleteAt: expression((row) => momentSql(`${copy(row)}.safety_copy_delete_at`)),
    log: column("log"),
    evacuationId: column("evacuation_id"),
    balanceRunId: column("balance_run_id"),
  },
};

/** Which migrations to list; what is left out does not restrict. */
interface MigrationCriteria {
  readonly ids?: Optional<readonly number[]>;
  readonly status?: Optional<MigrationStatus>;
  /** Either end on one of these. */
  readonly hostIds?: Optional<readonly number[]>;
  /** Either end on a node of this name. */
  readonly node?: Optional<string>;
}

/** The conditions of a filter. */
export const migrationClauses = (criteria: MigrationCriteria): Clause[] => [
  ...given(criteria.ids, (row, ids) => `${row}.id = any(${ids})`),
  ...withStatus(criteria.status),
  ...givenAny(
    criteria.hostIds,
    (row, isAny) => `(${isAny(`${row}.source_host_id`)} or ${isAny(`${row}.target_host_id`)})`,
  ),
  ...given(criteria.node, (row, node) => `(${row}.source_node = ${node} or ${row}.target_node = ${node})`),
];

/** What shows as queued may be stored as running: whichever it is, the index on what is stored finds it. */
function withStatus(status: MigrationCriteria["status"]): Clause[] {
  const isOpen = status === MigrationStatus.QUEUED || status === MigrationStatus.RUNNING;
  return given(status, (row, wanted) =>
    isOpen ? `${row}.status in ('queued', 'running') and ${statusSql(row)} = ${wanted}` : `${row}.status = ${wanted}`,
  );
}
