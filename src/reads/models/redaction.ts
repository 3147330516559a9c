// Keeps what the job of a move tells of its other end to those who may see both.
import { expression, type Column } from "../engine/model.js";
import { visibleMove } from "./visibility.js";
import type { Viewer } from "../../access/viewer.js";
import type { Bind } from "../engine/statement.js";

export const MOVE_OUT_OF_SIGHT = "the move failed; why is told to those who may see both of its hosts";

/** SQL that holds for a row of `job` that moves a guest from or to a host out of the viewer's sight; null: for none. */
export function isBeyond(row: string, viewer: Viewer, bind: Bind): string | null {
  const visible = visibleMove("move", viewer, bind);
  return visible === null
    ? null
    : `exists (select 1 from migration move where move.job_id = ${row}.id and not ${visible})`;
}

/** A field of `job` that others are told `instead` of, which is SQL too. */
export const unlessBeyond = (sql: (row: string) => string, instead: (row: string) => string): Column =>
  expression((row, bind, viewer) => {
    const beyond = isBeyond(row, viewer, bind);
    return beyond === null ? sql(row) : `case when ${beyond} then ${instead(row)} else ${sql(row)} end`;
  });
