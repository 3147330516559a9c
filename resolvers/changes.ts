// The subscription to the kinds of records that changed.
import { Resolver, Root, Subscription } from "type-graphql";
import { permit } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { isInScope } from "../src/core/access/scope.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { Change, ChangeKind } from "../schema/change.js";
import type { ChangedIds } from "./changedIds.js";
import { LiveRows, type Listeners, type RowEvent } from "./liveRows.js";
import { sparingly } from "./sparingly.js";

/** The place of a kind in this list is its id in `ChangedIds`. */
const KINDS = Object.values(ChangeKind);

/** Requests come all the time: they are announced no more often. */
const BETWEEN_REQUESTS_MS = 2_000;

@Resolver(() => Change)
export class Changes {
  @Subscription(() => Change, {
    description:
      "Which kinds of records changed, for views that read them again; changes in quick succession are reported once, requests every two seconds at most. Needs `hosts.manage`; a token of bounded scope learns nothing of other hosts' readings, templates and addresses.",
    subscribe: listen,
  })
  changes(@Root() { row }: RowEvent): ReadRow {
    return row;
  }
}

function listen({ context }: { readonly context: Context }): LiveRows {
  permit(context, Permission.HOSTS_MANAGE);
  return new LiveRows(context, { listeners: listenersOf(context), first: null, rows: changedKinds });
}

function listenersOf({ viewer: { hostIds } }: Context): Listeners {
  const ofHost = (kind: ChangeKind) => (hostId: number, changed: ChangedIds) => {
    if (hostId === EVERY_HOST_ID || isInScope(hostIds, hostId)) changed.add([KINDS.indexOf(kind)]);
  };
  return {
    guest: of(ChangeKind.GUEST),
    guests: ofHost(ChangeKind.GUEST),
    hostSeen: ofHost(ChangeKind.HOST),
    job: of(ChangeKind.JOB),
    migration: of(ChangeKind.MIGRATION),
    run: of(ChangeKind.RUN),
    user: of(ChangeKind.USER),
    plan: of(ChangeKind.PLAN),
    template: ofHost(ChangeKind.TEMPLATE),
    address: ofHost(ChangeKind.ADDRESS),
    token: of(ChangeKind.TOKEN),
    settings: of(ChangeKind.SETTINGS),
    request: sparingly(of(ChangeKind.REQUEST), BETWEEN_REQUESTS_MS),
    gap: (_id, changed) => changed.add(KINDS.keys()),
  };
}

/** Announced instead of a host's id when no single host is meant. */
const EVERY_HOST_ID = 0;

const of = (kind: ChangeKind) => (_id: number, changed: ChangedIds) => changed.add([KINDS.indexOf(kind)]);

async function* changedKinds(changed: ChangedIds): AsyncGenerator<RowEvent, void> {
  for (let kinds = await changed.take(KINDS.length); kinds.length > 0; kinds = await changed.take(KINDS.length)) {
    for (const { id } of kinds) yield { row: { kind: KINDS[id] }, id, isChange: true };
  }
}
