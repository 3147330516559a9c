// Redacts the job of a move for viewers that may not see both of its hosts.
import { JobKind } from "../../core/enums.js";
import { expression, type Column } from "../engine/model.js";
import { visibleMove } from "./visibility.js";
import type { Viewer } from "../../access/viewer.js";
import type { Bind } from "../engine/statement.js";

export const MOVE_REDACTED = "the move failed; the reason is shown to those who may see both of its hosts";

/**
 * SQL condition under which a row of `job` is redacted: it is an attempt, the last one or an earlier one, to move a guest from or to
 * a host that the viewer may not see; null: no row is.
 */
export function redactedWhen(row: string, viewer: Viewer, bind: Bind): string | null {
  const visible = visibleMove("move", viewer, bind);
  if (visible === null) return null;
  const isSeen = (link: string): string => `exists (select 1 from migration move where ${link} and ${visible})`;
  return `(${row}.kind = '${JobKind.MIGRATION}'
    and not ${isSeen(`move.job_id = ${row}.id`)} and not ${isSeen(`move.id = (${row}.input->>'migrationId')::int`)})`;
}

/** A field of `job`, replaced by the SQL of `instead` where the row is redacted. */
export const redacted = (sql: (row: string) => string, instead: (row: string) => string): Column =>
  expression((row, bind, viewer) => {
    const condition = redactedWhen(row, viewer, bind);
    return condition === null ? sql(row) : `case when ${condition} then ${instead(row)} else ${sql(row)} end`;
  });
