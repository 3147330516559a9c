// Queries of the addresses of IP zones and of who held them.
import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, FieldResolver, Info, Int, Query, Resolver, Root } from "type-graphql";
import { permit, permitHost } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { keyOfField } from "../src/reads/engine/compile.js";
import { holdingClauses, ipAddresses, ipAddressHoldings } from "../src/reads/models/ipAddress.js";
import type { ReadRow, RowPage } from "../src/reads/engine/read.js";
import { zoneExists } from "../src/reads/models/requirements.js";
import {
  IpAddress,
  IpAddressHolding,
  IpAddressHoldingFilter,
  IpAddressHoldingPage,
  IpAddressPage,
} from "../schema/ipAddress.js";
import { PageArguments } from "../schema/page.js";
import { addressFilter } from "./addressFilter.js";
import { selectPaged } from "./paging.js";

@ArgsType()
class IpAddressArguments extends PageArguments {
  @Field(() => Int, { description: "Id of the zone." })
  readonly zoneId!: number;
}

@ArgsType()
class IpAddressHistoryArguments extends PageArguments {
  @Field(() => IpAddressHoldingFilter, { nullable: true, description: "Which periods; all when left out." })
  readonly filter?: IpAddressHoldingFilter | null;
}

@Resolver(() => IpAddress)
export class IpAddressResolver {
  @Query(() => IpAddressPage, {
    description: "Addresses of a zone that are in use or reserved, in their order. Needs `hosts.manage`.",
  })
  ipAddresses(
    @Args(() => IpAddressArguments) args: IpAddressArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_MANAGE);
    return selectPaged(context, ipAddresses, info, {
      args,
      requires: [zoneExists(args.zoneId)],
      where: [(address, value) => `${address}.zone_id = ${value(args.zoneId)}`],
      orderBy: (address) => `${address}.address`,
    });
  }

  @FieldResolver(() => [IpAddressHolding], {
    description: "Who has and had it, newest first; one page of it. `ipAddressHistory` has how many there are.",
  })
  history(
    @Root() address: ReadRow,
    @Info() info: GraphQLResolveInfo,
    @Args(() => PageArguments) _page: PageArguments,
  ): unknown {
    return address[keyOfField(info)];
  }

  @Query(() => IpAddressHoldingPage, {
    description:
      "Who holds and held addresses of zones, newest first; also of guests, zones and people that are gone. Needs `hosts.manage`.",
  })
  ipAddressHistory(
    @Args(() => IpAddressHistoryArguments) args: IpAddressHistoryArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.HOSTS_MANAGE);
    const { hostIds, address, zoneId, guestId, ownerId, at } = args.filter ?? {};
    for (const hostId of hostIds ?? []) permitHost(context, hostId);
    return selectPaged(context, ipAddressHoldings, info, {
      args,
      where: holdingClauses({ hostIds, address: addressFilter("address", address), zoneId, guestId, ownerId, at }),
      orderBy: (holding) => `${holding}.since desc, ${holding}.id desc`,
    });
  }
}
