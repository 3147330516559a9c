// Queries of container templates.
import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, Info, Query, Resolver } from "type-graphql";
import type { Context } from "../src/context/context.js";
import { ctTemplateClauses, ctTemplates } from "../src/reads/models/ctTemplate.js";
import type { RowPage } from "../src/reads/engine/read.js";
import { CtTemplate, CtTemplatePage } from "../schema/ctTemplate.js";
import { NodeListArguments } from "../schema/lookup.js";
import { permitNodeList } from "./nodeList.js";
import { selectPaged } from "./paging.js";

@ArgsType()
class CtTemplateListArguments extends NodeListArguments {
  @Field(() => String, {
    nullable: true,
    description: "Only templates whose name contains this (upper and lower case alike).",
  })
  readonly search?: string | null;
}

@Resolver(() => CtTemplate)
export class CtTemplateResolver {
  @Query(() => CtTemplatePage, {
    description: "The managed library, then the template files of a host's nodes or of one node, by name.",
  })
  ctTemplates(
    @Args(() => CtTemplateListArguments) args: CtTemplateListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    return selectPaged(context, ctTemplates, info, {
      args,
      requires: permitNodeList(context, args),
      where: ctTemplateClauses(args),
      orderBy: (row) => `${row}.managed desc, ${row}.name, ${row}.volid, ${row}.node`,
    });
  }
}
