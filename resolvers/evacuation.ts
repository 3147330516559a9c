// Evacuations: whom to choose from, how they go, and their start and stop.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, Ctx, Info, Int, Mutation, Query, Resolver, Root, Subscription } from "type-graphql";
import { permit } from "../src/access/permit.js";
import { startEvacuation } from "../src/actions/run/evacuation.js";
import { evacuationCandidates, type Candidate } from "../src/actions/run/evacuationCandidates.js";
import { stopRun } from "../src/actions/run/run.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { JobKind } from "../src/core/enums.js";
import { evacuations } from "../src/reads/models/evacuation.js";
import type { ReadRow, RowPage } from "../src/reads/engine/read.js";
import { runClauses } from "../src/reads/models/run.js";
import {
  CandidateArguments,
  Evacuation,
  EvacuationCandidate,
  EvacuationInput,
  EvacuationPage,
} from "../schema/evacuation.js";
import { RunListArguments } from "../schema/run.js";
import { followRun } from "./followOne.js";
import type { RowEvent } from "./liveRows.js";
import { selectPaged } from "./paging.js";
import { selectOne } from "./selectOne.js";
import { withGuests } from "./withGuests.js";

@Resolver(() => Evacuation)
export class EvacuationResolver {
  @Query(() => [EvacuationCandidate], {
    description:
      "Guests of a host that can be chosen, each with its destination and pre-flight; templates, safety copies and busy guests are left out. Needs `hosts.manage`.",
  })
  async evacuationCandidates(
    @Args(() => CandidateArguments) route: CandidateArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<(Candidate & { readonly guest: ReadRow })[]> {
    return withGuests(context, info, { items: await evacuationCandidates(context, route), path: ["guest"] });
  }

  @Query(() => Evacuation, { description: "One evacuation. Needs `hosts.manage`." })
  evacuation(
    @Arg("id", () => Int, { description: "Id of the evacuation." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permit(context, Permission.HOSTS_MANAGE);
    return selectOne(context, info, { model: evacuations, id });
  }

  @Query(() => EvacuationPage, { description: "Evacuations, newest first. Needs `hosts.manage`." })
  evacuations(
    @Args(() => RunListArguments) args: RunListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_MANAGE);
    return selectPaged(context, evacuations, info, {
      args,
      where: runClauses(args.ids),
      orderBy: (run) => `${run}.id desc`,
    });
  }

  @Mutation(() => Evacuation, {
    description:
      "Turns maintenance on and moves the chosen guests away, one at a time; a host can have one evacuation at a time. Needs `hosts.manage`. Refused with `CONFLICT` (`EVACUATION_RUNNING`, `GUEST_BUSY`, `HOST_IN_MAINTENANCE` for the target).",
  })
  async startEvacuation(
    @Arg("input", () => EvacuationInput, { description: "The evacuation." }) input: EvacuationInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    return selectOne(context, info, { model: evacuations, id: await startEvacuation(context, input) });
  }

  @Mutation(() => Evacuation, {
    description:
      "Stops an evacuation: the current move goes on to its end, the other guests are skipped, and maintenance stays on. Needs `hosts.manage`.",
  })
  async stopEvacuation(
    @Arg("id", () => Int, { description: "Id of the evacuation." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permit(context, Permission.HOSTS_MANAGE);
    await selectOne(context, info, { model: evacuations, id });
    await stopRun(context, JobKind.EVACUATION, id);
    return selectOne(context, info, { model: evacuations, id });
  }

  @Subscription(() => Evacuation, {
    description: "The evacuation's current state first, then every change; ends with it. Needs `hosts.manage`.",
    subscribe: followRun(evacuations),
  })
  evacuationProgress(
    @Root() { row }: RowEvent,
    @Arg("id", () => Int, { description: "Id of the evacuation." }) _id: number,
  ): ReadRow {
    return row;
  }
}
