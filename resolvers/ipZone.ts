// Queries of IP zones.
import type { GraphQLResolveInfo } from "graphql";
import { Args, Ctx, Info, Query, Resolver } from "type-graphql";
import type { Context } from "../src/context.js";
import { ipZones } from "../src/reads/ipZone.js";
import type { RowPage } from "../src/reads/read.js";
import { IpZone, IpZonePage } from "../schema/ipZone.js";
import { HostListArguments } from "../schema/lookup.js";
import { selectOfHost } from "./hostList.js";

@Resolver(() => IpZone)
export class IpZoneResolver {
  @Query(() => IpZonePage, { description: "IP zones of a host, by id." })
  ipZones(
    @Args(() => HostListArguments) args: HostListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    return selectOfHost(context, ipZones, info, {
      args,
      orderBy: (zone) => `${zone}.id`,
    });
  }
}
