// Queries of QEMU templates.
import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, Info, Query, Resolver } from "type-graphql";
import type { Context } from "../src/context.js";
import { osTemplates } from "../src/reads/osTemplate.js";
import type { RowPage } from "../src/reads/read.js";
import { HostListArguments } from "../schema/lookup.js";
import { OsTemplate, OsTemplatePage } from "../schema/osTemplate.js";
import { selectOfHost } from "./hostList.js";

@ArgsType()
class OsTemplateListArguments extends HostListArguments {
  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: "Also templates that new guests can no longer use.",
  })
  readonly includeInactive?: boolean | null;
}

@Resolver(() => OsTemplate)
export class OsTemplateResolver {
  @Query(() => OsTemplatePage, { description: "QEMU templates of a host, by id." })
  osTemplates(
    @Args(() => OsTemplateListArguments) args: OsTemplateListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    return selectOfHost(context, osTemplates, info, {
      args,
      where: args.includeInactive === true ? [] : [(template) => `${template}.active`],
      orderBy: (template) => `${template}.id`,
    });
  }
}
