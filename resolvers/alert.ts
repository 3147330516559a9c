// What an operator should know of: as a list, and as it changes.
import type { GraphQLResolveInfo } from "graphql";
import { Args, Ctx, Info, Query, Resolver, Root, Subscription } from "type-graphql";
import { permit } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { MAXIMUM_PER_PAGE } from "../src/core/paging.js";
import { alerts } from "../src/reads/models/alert.js";
import type { ReadRow, RowPage } from "../src/reads/engine/read.js";
import { Alert, AlertPage } from "../schema/alert.js";
import { PageArguments } from "../schema/page.js";
import type { ChangedIds } from "./changedIds.js";
import { LiveRows, eventOf, type RowEvent } from "./liveRows.js";
import { selectPaged } from "./paging.js";
import { readWithRetry } from "./readWithRetry.js";

/** Fleets change all the time: alerts are read no more often. */
const BETWEEN_READINGS_MS = 1_000;
const TIMER_MS = 30_000;
/** The one thing that changes. */
const LIST = 1;

interface AlertRequest {
  readonly context: Context;
  readonly info: GraphQLResolveInfo;
}

@Resolver(() => Alert)
export class AlertResolver {
  @Query(() => AlertPage, {
    description: "What an operator should know of at present; nothing is done about it. Needs `hosts.manage`.",
  })
  alerts(
    @Args(() => PageArguments) args: PageArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_MANAGE);
    return readAlerts({ context, info }, args);
  }

  @Subscription(() => AlertPage, {
    description: `The first ${MAXIMUM_PER_PAGE} alerts, and again whenever they are others. Needs \`hosts.manage\`.`,
    subscribe: follow,
  })
  alertsChanged(@Root() { row }: RowEvent): ReadRow {
    return row;
  }
}

const readAlerts = ({ context, info }: AlertRequest, args: PageArguments): Promise<RowPage> =>
  selectPaged(context, alerts, info, {
    args,
    orderBy: (row) => `${row}.host_id, ${row}.code, ${row}.node, ${row}.vmid, ${row}.migration_id, ${row}.message`,
  });

const onChange = (_id: number, changed: ChangedIds): void => changed.add([LIST]);
const LISTENERS = { guest: onChange, guests: onChange, hostSeen: onChange, migration: onChange, gap: onChange };

function follow(asked: AlertRequest): LiveRows {
  permit(asked.context, Permission.HOSTS_MANAGE);
  return new LiveRows(asked.context, { listeners: LISTENERS, first: LIST, rows: (changed) => lists(asked, changed) });
}

/** What becomes an alert by time alone is found by a timer: nothing is announced of work that no process does. */
async function* lists(asked: AlertRequest, changed: ChangedIds): AsyncGenerator<RowEvent, void> {
  const timer = setInterval(() => changed.add([LIST]), TIMER_MS).unref();
  try {
    yield* changedLists(asked, changed);
  } finally {
    clearInterval(timer);
  }
}

async function* changedLists(asked: AlertRequest, changed: ChangedIds): AsyncGenerator<RowEvent, void> {
  let lastState = "";
  for (let [taken] = await changed.take(1); taken !== undefined; [taken] = await changed.take(1)) {
    const page = await readWithRetry(changed, () => readAlerts(asked, { page: 1, perPage: MAXIMUM_PER_PAGE }));
    if (page === null) return;
    const state = JSON.stringify(page);
    const event = eventOf(taken, { ...page }, state !== lastState);
    if (event !== null) yield event;
    lastState = state;
    await changed.rest(BETWEEN_READINGS_MS);
  }
}
