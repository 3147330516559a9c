// Reads what a running job waits for, from what the job has noted.
import { expression, momentSql, one, type One, type ReadModel } from "../engine/model.js";
import { redactedWhen } from "./redaction.js";

const noted = (row: string, key: string): string => `(${row}.facts->'waiting'->>'${key}')`;

/** A row is the job itself. Of a move only who sees both ends is told: the reason may name either. */
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
 * What a worker noted that lost the job meanwhile, or died, is not told.
 * @param jobId SQL that gives the id of the job
 */
export const waitingForOf = (jobId: (row: string) => string): One =>
  one(
    () => waitingFor,
    (row, child) =>
      `${child}.id = ${jobId(row)} and ${child}.status = 'running' and ${child}.lease_until > now()
       and ${noted(child, "epoch")}::int = ${child}.lease_epoch`,
  );
