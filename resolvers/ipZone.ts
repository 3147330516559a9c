// Queries of IP zones.
import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, Info, Int, Query, Resolver } from "type-graphql";
import { permit, permitHost } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { ipZoneClauses, ipZones } from "../src/reads/models/ipZone.js";
import type { RowPage } from "../src/reads/engine/read.js";
import { hostExists } from "../src/reads/models/requirements.js";
import { IpZone, IpZonePage } from "../schema/ipZone.js";
import { PageArguments } from "../schema/page.js";
import { selectPaged } from "./paging.js";

@ArgsType()
class IpZoneListArguments extends PageArguments {
  @Field(() => Int, { nullable: true, description: "Id of the host; left out: the zones of all hosts." })
  readonly hostId?: number | null;

  @Field(() => String, {
    nullable: true,
    description: "Only zones whose name or network contains this, or whose network has this address.",
  })
  readonly search?: string | null;
}

@Resolver(() => IpZone)
export class IpZoneResolver {
  @Query(() => IpZonePage, { description: "IP zones of a host or of all hosts, by id." })
  ipZones(
    @Args(() => IpZoneListArguments) args: IpZoneListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_READ);
    const hostId = args.hostId ?? null;
    if (hostId !== null) permitHost(context, hostId);
    return selectPaged(context, ipZones, info, {
      args,
      requires: hostId === null ? [] : [hostExists(hostId)],
      where: ipZoneClauses(args),
      orderBy: (zone) => `${zone}.id`,
    });
  }
}
