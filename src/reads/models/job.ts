// Reads jobs.
import { UserRole, type JobKind, type JobStatus } from "../../core/enums.js";
import { given, givenAny, type Optional } from "../engine/criteria.js";
import { column, expression, moment, type ReadModel } from "../engine/model.js";
import { jobWarningsSql } from "./jobWarnings.js";
import { MOVE_REDACTED, redacted } from "./redaction.js";
import type { Clause } from "../engine/read.js";
import { viewerUserId } from "../engine/statement.js";
import { rollbackOf, undoneStepsOf } from "./rollback.js";
import { unservedJobWarning } from "./unservedQueue.js";
import { visibleGuest, visibleHost } from "./visibility.js";
import { waitingForOf } from "./waitingFor.js";

/** Columns of a job that hold no secret. Resellers and customers see the jobs of their guests and those they started. */
export const jobs: ReadModel = {
  type: "Job",
  from: (row) => `job ${row}`,
  visible(row, viewer, bind) {
    if (viewer.kind === "user" && (viewer.role === UserRole.CUSTOMER || viewer.role === UserRole.RESELLER)) {
      const ofGuest = `exists (select 1 from guest vg where vg.id = ${row}.guest_id and ${visibleGuest("vg", viewer, bind)})`;
      return `(${ofGuest} or ${row}.created_by_user = ${bind(viewerUserId)})`;
    }
    return visibleHost(`${row}.host_id`, viewer, bind);
  },
  fields: {
    id: column("id"),
    kind: column("kind"),
    status: column("status"),
    error: redacted(
      (row) => `${row}.error`,
      (row) => `case when ${row}.error is not null then '${MOVE_REDACTED}' end`,
    ),
    hostId: column("host_id"),
    node: column("node"),
    vmid: column("vmid"),
    progress: expression((row) => `round(${row}.progress::numeric, 4)`),
    step: column("step"),
    createdAt: moment("created_at"),
    startedAt: moment("started_at"),
    finishedAt: moment("finished_at"),
    parked: expression((row) => `${row}.parked_at is not null`),
    upids: redacted(
      (row) => `${row}.upids`,
      () => "'{}'::text[]",
    ),
    warnings: redacted(
      (row) => jobWarningsSql(`${row}.id`),
      () => "'{}'::text[]",
    ),
    notice: expression(unservedJobWarning),
    rollback: rollbackOf((row) => `${row}.id`),
    undoneSteps: undoneStepsOf((row) => `${row}.id`),
    waitingFor: waitingForOf((row) => `${row}.id`),
  },
};

/** Which jobs to list; what is left out does not restrict. */
interface JobCriteria {
  readonly ids?: Optional<readonly number[]>;
  readonly status?: Optional<JobStatus>;
  readonly kind?: Optional<JobKind>;
  readonly hostIds?: Optional<readonly number[]>;
  readonly vmid?: Optional<number>;
}

/** The conditions of a filter. */
export const jobClauses = (criteria: JobCriteria): Clause[] => [
  ...given(criteria.ids, (row, ids) => `${row}.id = any(${ids})`),
  ...given(criteria.status, (row, status) => `${row}.status = ${status}`),
  ...given(criteria.kind, (row, kind) => `${row}.kind = ${kind}`),
  ...givenAny(criteria.hostIds, (row, isAny) => isAny(`${row}.host_id`)),
  ...given(criteria.vmid, (row, vmid) => `${row}.vmid = ${vmid}`),
];
