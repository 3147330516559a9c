// Queries of QEMU templates.
import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, Info, Query, Resolver } from "type-graphql";
import { permit, permitHost } from "../src/access/permit.js";
import type { Context } from "../src/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { osTemplates } from "../src/reads/osTemplate.js";
import type { RowPage } from "../src/reads/read.js";
import { hostExists } from "../src/reads/requirement.js";
import { HostListArguments } from "../schema/lookup.js";
import { OsTemplate, OsTemplatePage } from "../schema/osTemplate.js";
import { selectPaged } from "./paging.js";

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
    permit(context, Permission.HOSTS_READ);
    permitHost(context, args.hostId);
    return selectPaged(context, osTemplates, info, {
      args,
      requires: [hostExists(args.hostId)],
      where: [
        (template, value) => `${template}.host_id = ${value(args.hostId)}`,
        ...(args.includeInactive === true ? [] : [(template: string) => `${template}.active`]),
      ],
      orderBy: (template) => `${template}.id`,
    });
  }
}
