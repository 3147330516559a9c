// The subscription that tells which kinds of records changed.
import { Resolver, Root, Subscription } from "type-graphql";
import { permit } from "../src/access/permit.js";
import type { Context } from "../src/context.js";
import { Permission } from "../src/core/access/permissions.js";
import type { Row } from "../src/reads/read.js";
import { Change, ChangeKind } from "../schema/change.js";
import type { ChangedIds } from "./changedIds.js";
import { liveRows } from "./liveRows.js";

/** Their place in the list is the id under which a kind is remembered until it is told. */
const KINDS = Object.values(ChangeKind);

@Resolver(() => Change)
export class Changes {
  @Subscription(() => Change, {
    description:
      "Which kinds of records changed, for views that read them again; changes in quick succession are told once. Needs `hosts.manage`.",
    subscribe: listen,
  })
  changes(@Root() change: Row): Row {
    return change;
  }
}

function listen({ context }: { readonly context: Context }): AsyncIterableIterator<Row> {
  permit(context, Permission.HOSTS_MANAGE);
  const hearing = {
    guest: tell(ChangeKind.GUEST),
    guests: tell(ChangeKind.GUEST),
    hostSeen: tell(ChangeKind.HOST),
    job: tell(ChangeKind.JOB),
    migration: tell(ChangeKind.MIGRATION),
    run: tell(ChangeKind.RUN),
    missed: (_id: number, changed: ChangedIds) => changed.add(KINDS.keys()),
  };
  return liveRows(context, hearing, news);
}

const tell = (kind: ChangeKind) => (_id: number, changed: ChangedIds) => changed.add([KINDS.indexOf(kind)]);

async function* news(changed: ChangedIds): AsyncGenerator<Row, void> {
  for (let kinds = await changed.take(KINDS.length); kinds.length > 0; kinds = await changed.take(KINDS.length)) {
    for (const kind of kinds) yield { kind: KINDS[kind] };
  }
}
