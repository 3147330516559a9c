// Reads the rollback of a failed job from what the job has noted.
import { expression, momentSql, one, visibleToAll, type One, type ReadModel } from "../engine/model.js";
import { MOVE_REDACTED, redacted } from "./redaction.js";

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
