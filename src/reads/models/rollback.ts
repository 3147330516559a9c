// Reads the rollback of a failed job from what the job has noted.
import {
  column,
  expression,
  many,
  moment,
  momentSql,
  one,
  visibleToAll,
  type Many,
  type One,
  type ReadModel,
} from "../engine/model.js";
import { MOVE_REDACTED, redacted, redactedWhen } from "./redaction.js";

const failed = (row: string): string => `${row}_failed`;

/** A row is the job itself: whoever sees the job sees this. */
const rollback: ReadModel = {
  type: "Rollback",
  from: (row) =>
    `job ${row} left join job_step ${failed(row)} on ${failed(row)}.job_id = ${row}.id and ${failed(row)}.status = 'failed'`,
  visible: visibleToAll,
  fields: {
    reason: redacted(
      (row) => `${row}.facts->>'failure'`,
      () => `'${MOVE_REDACTED}'`,
    ),
    step: expression((row) => `${failed(row)}.name`),
    since: expression((row) => momentSql(`${failed(row)}.finished_at`)),
    doing: redacted(
      (row) => `${row}.facts->>'undoing'`,
      () => "null",
    ),
  },
};

/** @param jobId SQL that gives the id of the job */
export const rollbackOf = (jobId: (row: string) => string): One =>
  one(
    () => rollback,
    (row, child) =>
      `${child}.id = ${jobId(row)} and ${child}.status = 'running' and ${child}.facts->'failure' is not null`,
  );

const ofJob = (row: string): string => `${row}_job`;

/** Whether the job has ended although the undo has not: a process of an earlier release, which records no undo, has ended it, or it was given up. */
const wasCutOff = (row: string): string =>
  `(${row}.undo_status = 'running' and ${ofJob(row)}.finished_at is not null and ${ofJob(row)}.parked_at is null)`;

const undoneStep: ReadModel = {
  type: "UndoneStep",
  from: (row) => `job_step ${row} left join job ${ofJob(row)} on ${ofJob(row)}.id = ${row}.job_id`,
  visible(row, viewer, bind) {
    const condition = redactedWhen(ofJob(row), viewer, bind);
    return condition === null ? null : `not ${condition}`;
  },
  fields: {
    step: column("name"),
    status: expression((row) => `case when ${wasCutOff(row)} then 'failed' else ${row}.undo_status end`),
    error: expression(
      (row) => `case when ${wasCutOff(row)} then 'its end is not on record' else ${row}.undo_error end`,
    ),
    startedAt: moment("undo_started_at"),
    finishedAt: moment("undo_finished_at"),
  },
};

/** @param jobId SQL that gives the id of the job */
export const undoneStepsOf = (jobId: (row: string) => string): Many =>
  many(
    () => undoneStep,
    (row, child) => `${child}.job_id = ${jobId(row)} and ${child}.undo_status is not null`,
    (child) => `${child}.position desc, ${child}.name`,
  );
