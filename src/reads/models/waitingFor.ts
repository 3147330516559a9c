// Reads what a running job waits for, from what the job has noted.
import { expression, momentSql, one, type One, type ReadModel } from "../engine/model.js";
import { redactedWhen } from "./redaction.js";

const noted = (row: string, key: string): string => `(${row}.facts->'waiting'->>'${key}')`;

/** A row is the job itself. For a move it is shown only to viewers of both ends: the reason may name either. */
const waitingFor: ReadModel = {
  type: "WaitingFor",
  from: (row) => `job ${row}`,
  visible(row, viewer, bind) {
    const condition = redactedWhen(row, viewer, bind);
    return condition === null ? null : `not ${condition}`;
  },
  fields: {
    hostId: expression((row) => `${noted(row, "hostId")}::int`),
    reason: expression((row) => noted(row, "reason")),
    since: expression((row) => momentSql(`${noted(row, "since")}::timestamptz`)),
    triesAgainAt: expression((row) => momentSql(`${noted(row, "triesAgainAt")}::timestamptz`)),
  },
};

/**
 * A note of a worker that has lost the job since, or died, is not shown.
 * @param jobId SQL that gives the id of the job
 */
export const waitingForOf = (jobId: (row: string) => string): One =>
  one(
    () => waitingFor,
    (row, child) =>
      `${child}.id = ${jobId(row)} and ${child}.status = 'running' and ${child}.lease_until > now()
       and ${noted(child, "epoch")}::int = ${child}.lease_epoch`,
  );
