// Makes the subscriptions that follow one record: its current state first, then every change, until it has ended.
import type { GraphQLResolveInfo } from "graphql";
import { permit } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import type { Topic } from "../src/events/events.js";
import { notFound } from "../src/errors/errors.js";
import { nameOfRecord, type ReadModel } from "../src/reads/engine/model.js";
import { selectRow, type ReadRow } from "../src/reads/engine/read.js";
import type { ChangedIds } from "./changedIds.js";
import { LiveRows, eventOf, type RowEvent } from "./liveRows.js";
import { readWithRetry } from "./readWithRetry.js";

/** The request of one subscriber, or of many that may see the same. */
interface FollowRequest {
  readonly context: Context;
  readonly args: { readonly id: number };
  readonly info: GraphQLResolveInfo;
}

/** A kind of record that can be followed by its id. */
interface Followed {
  readonly model: ReadModel;
  /** The topic of the announcements of its changes. */
  readonly topic: Exclude<Topic, "gap">;
  /** @throws DroverError unauthenticated, forbidden */
  permit(context: Context): void;
  /** The field that shows the end; read whether or not the client requested it. */
  readonly endField: string;
  hasEnded(value: unknown): boolean;
}

/** The `subscribe` of a record's progress; after a lost connection the state is read and sent again. */
export const followOne =
  (followed: Followed) =>
  async (asked: FollowRequest): Promise<LiveRows> => {
    const { id } = asked.args;
    followed.permit(asked.context);
    // Refused here, before a stream has begun: as an error of the operation, not of its first event.
    if ((await readFollowed(followed, asked)) === null) throw notFound(`${nameOfRecord(followed.model)} ${id}`);
    const listeners = {
      [followed.topic]: (changedId: number, changed: ChangedIds) => changedId === id && changed.add([id]),
      gap: (_: number, changed: ChangedIds) => changed.add([id]),
    };
    return new LiveRows(asked.context, { listeners, first: id, rows: (changed) => states(followed, asked, changed) });
  };

/** The `subscribe` of an evacuation's or a balance run's progress. */
export const followRun = (model: ReadModel): ReturnType<typeof followOne> =>
  followOne({
    model,
    topic: "run",
    permit: (context) => permit(context, Permission.HOSTS_MANAGE),
    endField: "finishedAt",
    hasEnded: (finishedAt) => finishedAt !== null,
  });

/** Ends with the record, or when the viewer may no longer see it. */
async function* states(followed: Followed, asked: FollowRequest, changed: ChangedIds): AsyncGenerator<RowEvent, void> {
  let lastState = "";
  for (let [taken] = await changed.take(1); taken !== undefined; [taken] = await changed.take(1)) {
    const row = await readWithRetry(changed, () => readFollowed(followed, asked));
    if (row === null) return;
    const state = JSON.stringify(row);
    // An announcement may be of a change that an earlier reading already saw.
    const event = eventOf(taken, row, state !== lastState);
    if (event !== null) yield event;
    lastState = state;
    if (followed.hasEnded(row[followed.endField])) return;
  }
}

/** @returns the record with the requested fields; null when the viewer sees none of this id */
const readFollowed = (
  { model, endField }: Followed,
  { context, args: { id }, info }: FollowRequest,
): Promise<ReadRow | null> =>
  selectRow(context, model, info, {
    where: [(row, value) => `${row}.id = ${value(id)}`],
    also: [endField],
  });
