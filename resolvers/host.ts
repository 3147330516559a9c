// Queries of hosts.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Query, Resolver } from "type-graphql";
import { permit, permitHost } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { hostClauses, hosts } from "../src/reads/models/host.js";
import type { ReadRow, RowPage } from "../src/reads/engine/read.js";
import { Host, HostPage } from "../schema/host.js";
import { PageArguments } from "../schema/page.js";
import { selectPaged } from "./paging.js";
import { selectOne } from "./selectOne.js";

@ArgsType()
class HostsArguments extends PageArguments {
  @Field(() => [Int], { nullable: true, description: "Only hosts with these ids." })
  readonly ids?: number[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      "Only hosts that are in use: active, not in maintenance, and read without an error; false: only the others.",
  })
  readonly inUse?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: "Only hosts whose name or hostname contains this (upper and lower case alike).",
  })
  readonly search?: string | null;
}

@Resolver(() => Host)
export class HostResolver {
  @Query(() => HostPage, { description: "Hosts that the caller may see, by id." })
  hosts(
    @Args(() => HostsArguments) args: HostsArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_READ);
    return selectPaged(context, hosts, info, { args, where: hostClauses(args), orderBy: (host) => `${host}.id` });
  }

  @Query(() => Host, { description: "One host." })
  host(
    @Arg("id", () => Int, { description: "Id of the host." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permit(context, Permission.HOSTS_READ);
    permitHost(context, id);
    return selectOne(context, info, { model: hosts, id });
  }
}
