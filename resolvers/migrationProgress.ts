// The subscription that follows one migration to its end.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Int, Resolver, Root, Subscription } from "type-graphql";
import { permit } from "../src/access/permit.js";
import type { Context } from "../src/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { MigrationStatus } from "../src/core/enums.js";
import { notFound } from "../src/errors.js";
import { migrationClauses, migrations } from "../src/reads/migration.js";
import { selectRow, type Row } from "../src/reads/read.js";
import { Migration } from "../schema/migration.js";
import type { ChangedIds } from "./changedIds.js";
import { liveRows } from "./liveRows.js";

/** One subscriber's question. */
interface Asked {
  readonly context: Context;
  readonly args: { readonly id: number };
  readonly info: GraphQLResolveInfo;
}

const ENDS: ReadonlySet<unknown> = new Set([
  MigrationStatus.DONE,
  MigrationStatus.DONE_WITH_WARNINGS,
  MigrationStatus.FAILED,
]);

@Resolver(() => Migration)
export class MigrationProgress {
  @Subscription(() => Migration, {
    description: "The migration's current state first, then every change; ends with it. Needs `hosts.manage`.",
    subscribe: follow,
  })
  migrationProgress(
    @Root() migration: Row,
    @Arg("id", () => Int, { description: "Id of the migration." }) _id: number,
  ): Row {
    return migration;
  }
}

async function follow(asked: Asked): Promise<AsyncIterableIterator<Row>> {
  const { id } = asked.args;
  permit(asked.context, Permission.HOSTS_MANAGE);
  if ((await read(asked)) === null) throw notFound(`Migration ${id}`);
  const hearing = {
    migration: (changedId: number, changed: ChangedIds) => changedId === id && changed.add([id]),
    missed: (_: number, changed: ChangedIds) => changed.add([id]),
  };
  return liveRows(asked.context, hearing, (changed) => states(asked, changed));
}

async function* states(asked: Asked, changed: ChangedIds): AsyncGenerator<Row, void> {
  let told = "";
  for (changed.add([asked.args.id]); (await changed.take(1)).length > 0;) {
    const migration = await read(asked);
    if (migration === null) return;
    const state = JSON.stringify(migration);
    if (state !== told) yield migration;
    told = state;
    if (ENDS.has(migration["status"])) return;
  }
}

const read = ({ context, args, info }: Asked): Promise<Row | null> =>
  selectRow(context, migrations, info, { where: migrationClauses({ id: args.id }), also: ["status"] });
