// The subscription that tells which kinds of records changed.
import { Resolver, Root, Subscription } from "type-graphql";
import { permit } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { isInScope } from "../src/core/access/scope.js";
import type { Row } from "../src/reads/engine/read.js";
import { Change, ChangeKind } from "../schema/change.js";
import type { ChangedIds } from "./changedIds.js";
import { LiveRows, type Hearing, type Told } from "./liveRows.js";
import { sparingly } from "./sparingly.js";

/** Their place in the list is the id under which a kind is remembered until it is told. */
const KINDS = Object.values(ChangeKind);

/** Requests come all the time: that there are more is told no oftener than this, milliseconds. */
const BETWEEN_REQUESTS_MS = 2_000;

@Resolver(() => Change)
export class Changes {
  @Subscription(() => Change, {
    description:
      "Which kinds of records changed, for views that read them again; changes in quick succession are told once, requests every two seconds at most. Needs `hosts.manage`; a token of bounded scope is not told of other hosts' readings, templates and addresses.",
    subscribe: listen,
  })
  changes(@Root() { row }: Told): Row {
    return row;
  }
}

function listen({ context }: { readonly context: Context }): LiveRows {
  permit(context, Permission.HOSTS_MANAGE);
  return new LiveRows(context, { hearing: hearingOf(context), first: null, rows: news });
}

function hearingOf({ viewer: { hostIds } }: Context): Hearing {
  const ofHost = (kind: ChangeKind) => (hostId: number, changed: ChangedIds) => {
    if (hostId === EVERY_HOST_ID || isInScope(hostIds, hostId)) changed.add([KINDS.indexOf(kind)]);
  };
  return {
    guest: tell(ChangeKind.GUEST),
    guests: ofHost(ChangeKind.GUEST),
    hostSeen: ofHost(ChangeKind.HOST),
    job: tell(ChangeKind.JOB),
    migration: tell(ChangeKind.MIGRATION),
    run: tell(ChangeKind.RUN),
    user: tell(ChangeKind.USER),
    plan: tell(ChangeKind.PLAN),
    template: ofHost(ChangeKind.TEMPLATE),
    address: ofHost(ChangeKind.ADDRESS),
    token: tell(ChangeKind.TOKEN),
    settings: tell(ChangeKind.SETTINGS),
    request: sparingly(tell(ChangeKind.REQUEST), BETWEEN_REQUESTS_MS),
    gap: (_id, changed) => changed.add(KINDS.keys()),
  };
}

/** What the database says instead of a host's id when no host is meant. */
const EVERY_HOST_ID = 0;

const tell = (kind: ChangeKind) => (_id: number, changed: ChangedIds) => changed.add([KINDS.indexOf(kind)]);

async function* news(changed: ChangedIds): AsyncGenerator<Told, void> {
  for (let kinds = await changed.take(KINDS.length); kinds.length > 0; kinds = await changed.take(KINDS.length)) {
    for (const { id } of kinds) yield { row: { kind: KINDS[id] }, id, isChange: true };
  }
}
