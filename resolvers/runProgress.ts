// Makes the subscriptions that follow a run: its current state first, then every change, until it has ended.
import type { GraphQLResolveInfo } from "graphql";
import { permit } from "../src/access/permit.js";
import type { Context } from "../src/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { notFound } from "../src/errors.js";
import type { ReadModel } from "../src/reads/model.js";
import { selectRow, type Row } from "../src/reads/read.js";
import type { ChangedIds } from "./changedIds.js";
import { liveRows } from "./liveRows.js";

/** One subscriber's question. */
interface Asked {
  readonly context: Context;
  readonly args: { readonly id: number };
  readonly info: GraphQLResolveInfo;
}

/** The `subscribe` of a run's progress; after a lost connection the state is read and sent again. */
export const followRun =
  (model: ReadModel) =>
  async (asked: Asked): Promise<AsyncIterableIterator<Row>> => {
    const { id } = asked.args;
    permit(asked.context, Permission.HOSTS_MANAGE);
    if ((await readRun(model, asked)) === null) throw notFound(`${model.type} ${id}`);
    const hearing = {
      run: (changedId: number, changed: ChangedIds) => changedId === id && changed.add([id]),
      missed: (_: number, changed: ChangedIds) => changed.add([id]),
    };
    return liveRows(asked.context, hearing, (changed) => states(model, asked, changed));
  };

/** Ends with the run, or when the viewer may no longer see it. */
async function* states(model: ReadModel, asked: Asked, changed: ChangedIds): AsyncGenerator<Row, void> {
  let told = "";
  for (changed.add([asked.args.id]); (await changed.take(1)).length > 0;) {
    const run = await readRun(model, asked);
    if (run === null) return;
    const state = JSON.stringify(run);
    // An announcement may be of a change that an earlier reading already saw.
    if (state !== told) yield run;
    told = state;
    if (run["finishedAt"] !== null) return;
  }
}

/** @returns the run with the fields that the client asked for; null when the viewer sees none of this id */
export const readRun = (model: ReadModel, { context, args: { id }, info }: Asked): Promise<Row | null> =>
  selectRow(context, model, info, {
    where: [(run, value) => `${run}.id = ${value(id)}`],
    also: ["finishedAt"],
  });
