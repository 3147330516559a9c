// Queries of IP zones.
import type { GraphQLResolveInfo } from "graphql";
import { Args, Ctx, Info, Query, Resolver } from "type-graphql";
import { permit, permitHost } from "../src/access/permit.js";
import type { Context } from "../src/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { ipZones } from "../src/reads/ipZone.js";
import type { RowPage } from "../src/reads/read.js";
import { hostExists } from "../src/reads/requirement.js";
import { IpZone, IpZonePage } from "../schema/ipZone.js";
import { HostListArguments } from "../schema/lookup.js";
import { selectPaged } from "./paging.js";

@Resolver(() => IpZone)
export class IpZoneResolver {
  @Query(() => IpZonePage, { description: "IP zones of a host, by id." })
  ipZones(
    @Args(() => HostListArguments) args: HostListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_READ);
    permitHost(context, args.hostId);
    return selectPaged(context, ipZones, info, {
      args,
      requires: [hostExists(args.hostId)],
      where: [(zone, value) => `${zone}.host_id = ${value(args.hostId)}`],
      orderBy: (zone) => `${zone}.id`,
    });
  }
}
