// The subscription to guests that changed.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Int, Resolver, Root, Subscription } from "type-graphql";
import { guestSight } from "../src/access/guestSight.js";
import { permitHost, permitSignedIn } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { guests } from "../src/reads/models/guest.js";
import { guestClauses } from "../src/reads/models/guestList.js";
import { permitFields, selectRows, type Clause, type ReadRow, type RowsRead } from "../src/reads/engine/read.js";
import { requireAll } from "../src/reads/engine/requirement.js";
import { hostExists } from "../src/reads/models/requirements.js";
import { Guest } from "../schema/guest.js";
import type { ChangedIds } from "./changedIds.js";
import { LiveRows, type RowEvent } from "./liveRows.js";
import { readWithRetry } from "./readWithRetry.js";

/** Guests that are read with one statement. */
const AT_ONCE = 100;
const BY_ID: Clause = (guest) => `${guest}.id`;
/** Read whether or not the client requested it. */
const ALSO = { also: ["id"] } as const;
/** Stands for all guests of all hosts, as a host's id below zero does for all of the host. */
const ALL_GUESTS = 0;

/** The request of one subscriber, or of many that may see the same. */
interface GuestFeedRequest {
  readonly context: Context;
  readonly args: { readonly hostId?: number | null };
  readonly info: GraphQLResolveInfo;
}

@Resolver(() => Guest)
export class GuestChanged {
  @Subscription(() => Guest, {
    description: "Guests that changed, as they are now; changes in quick succession are reported once.",
    subscribe: listen,
  })
  guestChanged(
    @Root() { row }: RowEvent,
    @Arg("hostId", () => Int, { nullable: true, description: "Only guests of this host." })
    _hostId: number | null,
  ): ReadRow {
    return row;
  }
}

async function listen(asked: GuestFeedRequest): Promise<LiveRows> {
  const { context, args } = asked;
  permitSignedIn(context);
  const hostId = args.hostId ?? null;
  if (hostId !== null) {
    permitHost(context, hostId);
    if (context.viewer.permissions.has(Permission.HOSTS_READ)) await requireAll(context, [hostExists(hostId)]);
  }
  // Refused here, before a stream has begun, not with its first event.
  permitFields(context, guests, asked.info, ALSO);
  return new LiveRows(context, {
    listeners: { gap: (_, changed) => changed.add([ALL_GUESTS]) },
    also: (changed) =>
      context.guestAudience.follow({
        sight: guestSight(context.viewer),
        hostId,
        guests: (ids) => changed.add(ids),
        host: (id) => changed.add([-id]),
      }),
    first: null,
    rows: (changed) => changes(asked, changed),
  });
}

/** What the viewer may not see, and what is gone, is passed over. */
async function* changes(asked: GuestFeedRequest, changed: ChangedIds): AsyncGenerator<RowEvent, void> {
  const hostIds = asked.args.hostId === null || asked.args.hostId === undefined ? null : [asked.args.hostId];
  for (let taken = await changed.take(AT_ONCE); taken.length > 0; taken = await changed.take(AT_ONCE)) {
    const ids = taken.map(({ id }) => id).filter((id) => id > ALL_GUESTS);
    if (ids.length > 0) yield* eventsOf(await readGuests(asked, changed, { where: guestClauses({ hostIds, ids }) }));
    for (const { id } of taken) {
      if (id <= ALL_GUESTS) yield* allGuests(asked, changed, id === ALL_GUESTS ? hostIds : [-id]);
    }
  }
}

/** Page by page: however many guests there are, no more than a page is in memory. */
async function* allGuests(
  asked: GuestFeedRequest,
  changed: ChangedIds,
  hostIds: number[] | null,
): AsyncGenerator<RowEvent, void> {
  for (let last = 0, isMore = true; isMore;) {
    const after: Clause = (guest, value) => `${guest}.id > ${value(last)}`;
    const rows = await readGuests(asked, changed, { where: [...guestClauses({ hostIds }), after], limit: AT_ONCE });
    yield* eventsOf(rows);
    isMore = rows.length === AT_ONCE;
    last = idOf(rows.at(-1));
  }
}

/** @returns none when the subscription has ended */
async function readGuests(
  { context, info }: GuestFeedRequest,
  changed: ChangedIds,
  read: Pick<RowsRead, "where" | "limit">,
): Promise<ReadRow[]> {
  const whole = { ...read, orderBy: BY_ID, ...ALSO };
  return (await readWithRetry(changed, () => selectRows(context, guests, info, whole))) ?? [];
}

const eventsOf = (rows: readonly ReadRow[]): RowEvent[] => rows.map((row) => ({ row, id: idOf(row), isChange: true }));

const idOf = (row: ReadRow | undefined): number => Number(row?.["id"]);
