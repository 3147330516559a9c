// Queries of QEMU templates.
import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, Info, Query, Resolver } from "type-graphql";
import type { Context } from "../src/context/context.js";
import { osTemplateClauses, osTemplates } from "../src/reads/models/osTemplate.js";
import type { RowPage } from "../src/reads/engine/read.js";
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

  @Field(() => String, {
    nullable: true,
    description: "Only templates whose name contains this (upper and lower case alike), or whose VMID it is.",
  })
  readonly search?: string | null;
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
      where: osTemplateClauses(args),
      orderBy: (template) => `${template}.id`,
    });
  }
}
