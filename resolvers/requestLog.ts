// Queries of the request log.
import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, Info, Query, Resolver } from "type-graphql";
import { permit } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import type { RowPage } from "../src/reads/engine/read.js";
import { requestLog, requestLogClauses } from "../src/reads/models/requestLog.js";
import { PageArguments } from "../schema/page.js";
import { RequestLogEntry, RequestLogFilter, RequestLogPage } from "../schema/requestLog.js";
import { addressFilter } from "./addressFilter.js";
import { selectPaged } from "./paging.js";

@ArgsType()
class RequestLogArguments extends PageArguments {
  @Field(() => RequestLogFilter, { nullable: true, description: "Which entries; all when left out." })
  readonly filter?: RequestLogFilter | null;
}

@Resolver(() => RequestLogEntry)
export class RequestLogResolver {
  @Query(() => RequestLogPage, {
    description:
      "API requests, refused ones included, newest first. Needs `hosts.manage`; a token of bounded scope sees those of the tokens that it sees.",
  })
  requestLog(
    @Args(() => RequestLogArguments) args: RequestLogArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_MANAGE);
    const { tokenId, statusMin, statusMax, sourceIp, path, from, to } = args.filter ?? {};
    const source = addressFilter("sourceIp", sourceIp);
    return selectPaged(context, requestLog, info, {
      args,
      where: requestLogClauses({ tokenId, statusMin, statusMax, sourceIp: source, path, from, to }),
      orderBy: (entry) => `${entry}.at desc, ${entry}.id desc`,
    });
  }
}
