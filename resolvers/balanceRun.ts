// Balance runs: how they go, and their start and stop.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, Ctx, ID, Info, Int, Mutation, Query, Resolver, Root, Subscription } from "type-graphql";
import { permit } from "../src/access/permit.js";
import { startBalanceRun } from "../src/actions/run/balanceRun.js";
import { stopRun } from "../src/actions/run/run.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { JobKind } from "../src/core/enums.js";
import { balanceRuns } from "../src/reads/models/balanceRun.js";
import type { ReadRow, RowPage } from "../src/reads/engine/read.js";
import { runClauses } from "../src/reads/models/run.js";
import { BalanceRun, BalanceRunPage } from "../schema/balanceRun.js";
import { RunListArguments } from "../schema/run.js";
import { followRun } from "./followOne.js";
import type { RowEvent } from "./liveRows.js";
import { selectPaged } from "./paging.js";
import { selectOne } from "./selectOne.js";

@Resolver(() => BalanceRun)
export class BalanceRunResolver {
  @Query(() => BalanceRun, { description: "One balance run. Needs `hosts.manage`." })
  balanceRun(
    @Arg("id", () => Int, { description: "Id of the run." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permit(context, Permission.HOSTS_MANAGE);
    return selectOne(context, info, { model: balanceRuns, id });
  }

  @Query(() => BalanceRunPage, { description: "Balance runs, newest first. Needs `hosts.manage`." })
  balanceRuns(
    @Args(() => RunListArguments) args: RunListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_MANAGE);
    return selectPaged(context, balanceRuns, info, {
      args,
      where: runClauses(args.ids),
      orderBy: (run) => `${run}.id desc`,
    });
  }

  @Mutation(() => BalanceRun, {
    description:
      "Makes the suggested moves that are chosen, one at a time, each checked again when it is its turn; no host goes into maintenance. Needs `hosts.manage`. Refused with `CONFLICT` (`SUGGESTION_OUTDATED`, `GUEST_BUSY`).",
  })
  async startBalanceRun(
    @Arg("suggestionIds", () => [ID], { description: "Ids of suggestions, in the order of their turns." })
    suggestionIds: string[],
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    return selectOne(context, info, { model: balanceRuns, id: await startBalanceRun(context, suggestionIds) });
  }

  @Mutation(() => BalanceRun, {
    description:
      "Stops a balance run: the current move goes on to its end, the other guests are skipped. Needs `hosts.manage`.",
  })
  async stopBalanceRun(
    @Arg("id", () => Int, { description: "Id of the run." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permit(context, Permission.HOSTS_MANAGE);
    await selectOne(context, info, { model: balanceRuns, id });
    await stopRun(context, JobKind.BALANCE_RUN, id);
    return selectOne(context, info, { model: balanceRuns, id });
  }

  @Subscription(() => BalanceRun, {
    description: "The run's current state first, then every change; ends with it. Needs `hosts.manage`.",
    subscribe: followRun(balanceRuns),
  })
  balanceRunProgress(
    @Root() { row }: RowEvent,
    @Arg("id", () => Int, { description: "Id of the run." }) _id: number,
  ): ReadRow {
    return row;
  }
}
