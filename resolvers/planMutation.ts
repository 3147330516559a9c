// Changes of plans.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, Info, Int, Mutation, Resolver } from "type-graphql";
import { createPlan, updatePlan } from "../src/actions/catalogue/plan.js";
import type { Context } from "../src/context/context.js";
import { plans } from "../src/reads/models/plan.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { Plan, PlanInput } from "../schema/plan.js";
import { selectOne } from "./selectOne.js";

@Resolver(() => Plan)
export class PlanMutations {
  @Mutation(() => Plan, { description: "Makes a plan. Needs `hosts.manage` of every host." })
  async createPlan(
    @Arg("input", () => PlanInput, { description: "The plan." }) input: PlanInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    const id = await createPlan(context, input);
    return selectOne(context, info, { model: plans, id });
  }

  @Mutation(() => Plan, {
    description: "Replaces a plan; guests that have it are not changed. Needs `hosts.manage` of every host.",
  })
  async updatePlan(
    @Arg("id", () => Int, { description: "Id of the plan." }) id: number,
    @Arg("input", () => PlanInput, { description: "The whole plan." }) input: PlanInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    await updatePlan(context, id, input);
    return selectOne(context, info, { model: plans, id });
  }
}
