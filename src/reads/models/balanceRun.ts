// Reads balance runs.
import type { ReadModel } from "../engine/model.js";
import { runFields } from "./run.js";
import { scopedHostIds } from "../engine/statement.js";

/** A scoped token sees a run when every host of its moves is in scope. */
export const balanceRuns: ReadModel = {
  type: "BalanceRun",
  key: "id",
  from: (row) => `run ${row}`,
  visible: (row, viewer, bind) =>
    viewer.hostIds === null
      ? `${row}.kind = 'balance_run'`
      : `${row}.kind = 'balance_run' and not exists (select 1 from run_item vi where vi.run_id = ${row}.id
          and not array[vi.from_host_id, vi.to_host_id] <@ ${bind(scopedHostIds)}::int[])`,
  fields: runFields,
};
