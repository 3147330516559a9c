// Queries of plans.
import type { GraphQLResolveInfo } from "graphql";
import { ArgsType, Args, Ctx, Field, Info, Int, Query, Resolver } from "type-graphql";
import { permitHost, permitSignedIn } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { planClauses, plans } from "../src/reads/models/plan.js";
import type { RowPage } from "../src/reads/engine/read.js";
import { hostExists } from "../src/reads/models/requirements.js";
import { PageArguments } from "../schema/page.js";
import { Plan, PlanPage } from "../schema/plan.js";
import { selectPaged } from "./paging.js";

@ArgsType()
class PlanListArguments extends PageArguments {
  @Field(() => Int, {
    nullable: true,
    description: "Only plans that new guests of this host can use: the active ones.",
  })
  readonly hostId?: number | null;

  @Field(() => Boolean, { nullable: true, defaultValue: false, description: "Only plans that new guests can use." })
  readonly activeOnly?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: "Only plans whose name contains this (upper and lower case alike).",
  })
  readonly search?: string | null;
}

@Resolver(() => Plan)
export class PlanResolver {
  @Query(() => PlanPage, { description: "Plans by id; those who do not manage hosts see active ones only." })
  plans(
    @Args(() => PlanListArguments) args: PlanListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permitSignedIn(context);
    const hostId = args.hostId ?? null;
    if (hostId !== null) permitHost(context, hostId);
    const { viewer } = context;
    const activeOnly = args.activeOnly === true || hostId !== null || !viewer.permissions.has(Permission.HOSTS_MANAGE);
    return selectPaged(context, plans, info, {
      args,
      requires: hostId === null ? [] : [hostExists(hostId)],
      where: planClauses({ activeOnly, search: args.search }),
      orderBy: (plan) => `${plan}.id`,
    });
  }
}
