// Queries of migrations and of the plans of moves.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Query, Resolver } from "type-graphql";
import { permit } from "../src/access/permit.js";
import { planMigration } from "../src/migration/plan.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import type { MigrationPlan } from "../src/core/migration/plan.js";
import { guests } from "../src/reads/models/guest.js";
import { migrationClauses, migrations } from "../src/reads/models/migration.js";
import type { ReadRow, RowPage } from "../src/reads/engine/read.js";
import { Migration, MigrationFilter, MigrationPage } from "../schema/migration.js";
import { MigrationInput, MigrationPlanView } from "../schema/migrationPlan.js";
import { PageArguments } from "../schema/page.js";
import { permitHostFilter } from "./hostList.js";
import { selectPaged } from "./paging.js";
import { selectOne } from "./selectOne.js";

@ArgsType()
class MigrationListArguments extends PageArguments {
  @Field(() => MigrationFilter, { nullable: true, description: "Which migrations; all when left out." })
  readonly filter?: MigrationFilter | null;
}

/** A plan with the guest as the client asked for it. */
type PlanOfGuest = MigrationPlan & { readonly guest: ReadRow };

@Resolver(() => Migration)
export class MigrationQueries {
  @Query(() => MigrationPlanView, { description: "The plan of a move; changes nothing. Needs `hosts.manage`." })
  async migrationPlan(
    @Arg("input", () => MigrationInput, { description: "The move." }) input: MigrationInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PlanOfGuest> {
    const { plan } = await planMigration(context, input);
    return { ...plan, guest: await selectOne(context, info, { model: guests, id: input.guestId, field: "guest" }) };
  }

  @Query(() => Migration, {
    description: "One migration; found by who may see both of its ends. Needs `hosts.manage`.",
  })
  migration(
    @Arg("id", () => Int, { description: "Id of the migration." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permit(context, Permission.HOSTS_MANAGE);
    return selectOne(context, info, { model: migrations, id });
  }

  @Query(() => MigrationPage, {
    description: "Migrations both of whose ends the caller may see, newest first. Needs `hosts.manage`.",
  })
  migrations(
    @Args(() => MigrationListArguments) args: MigrationListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_MANAGE);
    return selectPaged(context, migrations, info, {
      args,
      requires: permitHostFilter(context, args.filter?.hostIds),
      where: migrationClauses(args.filter ?? {}),
      orderBy: (migration) => `${migration}.id desc`,
    });
  }
}
