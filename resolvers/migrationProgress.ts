// The subscription that follows one migration to its end.
import { Arg, Int, Resolver, Root, Subscription } from "type-graphql";
import { permit } from "../src/access/permit.js";
import { Permission } from "../src/core/access/permissions.js";
import { MigrationStatus } from "../src/core/enums.js";
import { migrations } from "../src/reads/models/migration.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { Migration } from "../schema/migration.js";
import { followOne } from "./followOne.js";
import type { RowEvent } from "./liveRows.js";

const ENDS: ReadonlySet<unknown> = new Set([
  MigrationStatus.DONE,
  MigrationStatus.DONE_WITH_WARNINGS,
  MigrationStatus.FAILED,
]);

@Resolver(() => Migration)
export class MigrationProgress {
  @Subscription(() => Migration, {
    description: "The migration's current state first, then every change; ends with it. Needs `hosts.manage`.",
    subscribe: followOne({
      model: migrations,
      topic: "migration",
      permit: (context) => permit(context, Permission.HOSTS_MANAGE),
      endField: "status",
      hasEnded: (status) => ENDS.has(status),
    }),
  })
  migrationProgress(
    @Root() { row }: RowEvent,
    @Arg("id", () => Int, { description: "Id of the migration." }) _id: number,
  ): ReadRow {
    return row;
  }
}
