// Starts of migrations.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, Info, Int, Mutation, Resolver } from "type-graphql";
import { retryMigration } from "../src/actions/migration/retry.js";
import { startMigration } from "../src/actions/migration/start.js";
import type { Context } from "../src/context.js";
import { migrations } from "../src/reads/migration.js";
import type { Row } from "../src/reads/read.js";
import { Migration } from "../schema/migration.js";
import { MigrationInput } from "../schema/migrationPlan.js";
import { selectOne } from "./selectOne.js";

@Resolver(() => Migration)
export class MigrationMutations {
  @Mutation(() => Migration, {
    description: "Queues the move of a guest; refused with the code of the check that blocks it. Needs `hosts.manage`.",
  })
  async startMigration(
    @Arg("input", () => MigrationInput, { description: "The move." }) input: MigrationInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row> {
    const id = await startMigration(context, input);
    return selectOne(context, info, { model: migrations, id });
  }

  @Mutation(() => Migration, {
    description:
      "Starts a move again that failed or ended with warnings; after its transfer it goes on without copying. Needs `hosts.manage`.",
  })
  async retryMigration(
    @Arg("id", () => Int, { description: "Id of the migration." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row> {
    await retryMigration(context, id);
    return selectOne(context, info, { model: migrations, id });
  }
}
