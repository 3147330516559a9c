// Queries of hosts.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, Ctx, Info, Int, Query, Resolver } from "type-graphql";
import { permit, permitHost } from "../src/access/permit.js";
import type { Context } from "../src/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { hosts } from "../src/reads/host.js";
import type { Row, RowPage } from "../src/reads/read.js";
import { Host, HostPage } from "../schema/host.js";
import { PageArguments } from "../schema/page.js";
import { selectPaged } from "./paging.js";
import { selectOne } from "./selectOne.js";

@Resolver(() => Host)
export class HostResolver {
  @Query(() => HostPage, { description: "Hosts that the caller may see, by id." })
  hosts(
    @Args(() => PageArguments) args: PageArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_READ);
    return selectPaged(context, hosts, info, { args, orderBy: (host) => `${host}.id` });
  }

  @Query(() => Host, { description: "One host." })
  host(
    @Arg("id", () => Int, { description: "Id of the host." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row> {
    permit(context, Permission.HOSTS_READ);
    permitHost(context, id);
    return selectOne(context, info, { model: hosts, id });
  }
}
