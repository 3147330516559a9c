// Queries of migrations and of the plans of moves.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Query, Resolver } from "type-graphql";
import { permit, permitHost } from "../src/access/permit.js";
import { planMigration } from "../src/actions/migration/plan.js";
import type { Context } from "../src/context.js";
import { Permission } from "../src/core/access/permissions.js";
import type { MigrationPlan as Plan } from "../src/core/migration/plan.js";
import { notFound } from "../src/errors.js";
import { guests } from "../src/reads/guest.js";
import { migrationClauses, migrations } from "../src/reads/migration.js";
import { selectRow, type Row, type RowPage } from "../src/reads/read.js";
import { hostExists } from "../src/reads/requirement.js";
import { Migration, MigrationFilter, MigrationPage } from "../schema/migration.js";
import { MigrationInput, MigrationPlan } from "../schema/migrationPlan.js";
import { PageArguments } from "../schema/page.js";
import { selectPaged } from "./paging.js";
import { readBack } from "./readBack.js";

@ArgsType()
class MigrationListArguments extends PageArguments {
  @Field(() => MigrationFilter, { nullable: true, description: "Which migrations; all when left out." })
  readonly filter?: MigrationFilter | null;
}

/** A plan with the guest as the client asked for it. */
type PlanOfGuest = Plan & { readonly guest: Row };

@Resolver(() => Migration)
export class MigrationQueries {
  @Query(() => MigrationPlan, { description: "The plan of a move; changes nothing. Needs `hosts.manage`." })
  async migrationPlan(
    @Arg("input", () => MigrationInput, { description: "The move." }) input: MigrationInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<PlanOfGuest> {
    const { plan } = await planMigration(context, input);
    return { ...plan, guest: await readBack(context, info, { model: guests, id: input.guestId, field: "guest" }) };
  }

  @Query(() => Migration, { description: "One migration. Needs `hosts.manage`." })
  async migration(
    @Arg("id", () => Int, { description: "Id of the migration." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row> {
    permit(context, Permission.HOSTS_MANAGE);
    const found = await selectRow(context, migrations, info, { where: migrationClauses({ id }) });
    if (found === null) throw notFound(`Migration ${id}`);
    return found;
  }

  @Query(() => MigrationPage, { description: "Migrations, newest first. Needs `hosts.manage`." })
  migrations(
    @Args(() => MigrationListArguments) args: MigrationListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_MANAGE);
    const hostIds = args.filter?.hostIds ?? [];
    for (const hostId of hostIds) permitHost(context, hostId);
    return selectPaged(context, migrations, info, {
      args,
      requires: hostIds.map((id) => hostExists(id)),
      where: migrationClauses(args.filter ?? {}),
      orderBy: (migration) => `${migration}.id desc`,
    });
  }
}
