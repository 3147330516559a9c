// Reads the guests of runs.
import { migrations } from "./migration.js";
import { column, expression, one, visibleToAll, type Column, type ReadModel } from "../engine/model.js";
import { scopedHostIds } from "../engine/statement.js";
import { ofVisibleHost, visibleMove } from "./visibility.js";

const OUT_OF_SIGHT = "the reason names hosts outside the scope of this token";

const ofTarget = (name: string): Column =>
  expression((row, bind, viewer) => ofVisibleHost(`${row}.${name}`, `${row}.to_host_id`, viewer, bind));

/** A reason names whatever nodes the run may use: it is hidden where the run reaches further than the viewer. */
const reasonSql: Column["sql"] = (row, bind, viewer) => {
  const visible = visibleMove("move", viewer, bind);
  if (visible === null) return `${row}.reason`;
  const scope = `${bind(scopedHostIds)}::int[]`;
  const within = `(select case when wide.target_host_id is null then wide.host_scope <@ ${scope}
    else array[wide.host_id, wide.target_host_id] <@ ${scope} end from run wide where wide.id = ${row}.run_id)`;
  const moved = `exists (select 1 from migration move where move.id = ${row}.migration_id and ${visible})`;
  return `case when ${row}.reason is null or ${within} or ${moved} then ${row}.reason else '${OUT_OF_SIGHT}' end`;
};

/** Reached through a run, which decides who sees it. */
export const runItems: ReadModel = {
  type: "RunItem",
  from: (row) => `run_item ${row}`,
  visible: visibleToAll,
  fields: {
    id: column("id"),
    guestId: column("guest_id"),
    guestName: column("guest_name"),
    vmid: column("vmid"),
    status: column("status"),
    reason: expression(reasonSql),
    migration: one(
      () => migrations,
      (row, child) => `${child}.id = ${row}.migration_id`,
    ),
    toHostId: ofTarget("to_host_id"),
    toNode: ofTarget("to_node"),
  },
};
