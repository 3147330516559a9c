// The subscription that tells of guests that changed.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Int, Resolver, Root, Subscription } from "type-graphql";
import { permitHost, permitSignedIn } from "../src/access/permit.js";
import type { Context } from "../src/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { guests } from "../src/reads/guest.js";
import { guestClauses } from "../src/reads/guestList.js";
import { presentGuestIds } from "../src/reads/presentGuests.js";
import { selectRows, type Clause, type Row } from "../src/reads/read.js";
import { hostExists, requireAll } from "../src/reads/requirement.js";
import { Guest } from "../schema/guest.js";
import type { ChangedIds } from "./changedIds.js";
import { liveRows } from "./liveRows.js";
import { readPatiently } from "./readPatiently.js";

/** Guests that are read with one statement. */
const AT_ONCE = 100;
const BY_ID: Clause = (guest) => `${guest}.id`;

/** One subscriber's question. */
interface Asked {
  readonly context: Context;
  readonly args: { readonly hostId?: number | null };
  readonly info: GraphQLResolveInfo;
}

@Resolver(() => Guest)
export class GuestChanged {
  @Subscription(() => Guest, {
    description: "Guests that changed, as they are now; changes in quick succession are told once.",
    subscribe: listen,
  })
  guestChanged(
    @Root() guest: Row,
    @Arg("hostId", () => Int, { nullable: true, description: "Only guests of this host." })
    _hostId: number | null,
  ): Row {
    return guest;
  }
}

async function listen(asked: Asked): Promise<AsyncIterableIterator<Row>> {
  const { context, args } = asked;
  permitSignedIn(context);
  const hostId = args.hostId ?? null;
  if (hostId !== null) {
    permitHost(context, hostId);
    if (context.viewer.permissions.has(Permission.HOSTS_READ)) await requireAll(context, [hostExists(hostId)]);
  }
  const addAllOf = (host: number | null, changed: ChangedIds): void => {
    readPatiently(changed, () => presentGuestIds(context.pool, host)).then(
      (ids) => changed.add(ids ?? []),
      (error: unknown) => context.log.warn({ err: error }, "changed guests could not be found"),
    );
  };
  const hearing = {
    guest: (id: number, changed: ChangedIds) => changed.add([id]),
    guests: (host: number, changed: ChangedIds) => {
      if (hostId === null || hostId === host) addAllOf(host, changed);
    },
    missed: (_: number, changed: ChangedIds) => addAllOf(hostId, changed),
  };
  return liveRows(context, hearing, (changed) => changes(asked, changed));
}

/** What the viewer may not see, and what is gone, is passed over. */
async function* changes({ context, args, info }: Asked, changed: ChangedIds): AsyncGenerator<Row, void> {
  const hostIds = args.hostId === null || args.hostId === undefined ? null : [args.hostId];
  for (let ids = await changed.take(AT_ONCE); ids.length > 0; ids = await changed.take(AT_ONCE)) {
    const where = guestClauses({ hostIds, ids });
    yield* (await readPatiently(changed, () => selectRows(context, guests, info, { where, orderBy: BY_ID }))) ?? [];
  }
}
