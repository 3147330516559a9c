// Queries of guests.
import type { GraphQLResolveInfo } from "graphql";
import { Args, ArgsType, Ctx, Field, Info, Query, Resolver } from "type-graphql";
import { permitHost, permitSignedIn } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { notFound } from "../src/errors/errors.js";
import { guests } from "../src/reads/models/guest.js";
import { guestTotal } from "../src/reads/models/guestCount.js";
import { guestClauses, guestOrder } from "../src/reads/models/guestList.js";
import { selectRow, type ReadRow, type RowPage } from "../src/reads/engine/read.js";
import { knowsOwners } from "../src/reads/models/visibility.js";
import { Guest, GuestPage } from "../schema/guest.js";
import { GuestArguments } from "../schema/guestArguments.js";
import { GuestFilter, GuestSort } from "../schema/guestList.js";
import { PageArguments } from "../schema/page.js";
import { permitHostFilter } from "./hostList.js";
import { selectPaged } from "./paging.js";

@ArgsType()
class GuestListArguments extends PageArguments {
  @Field(() => GuestFilter, { nullable: true, description: "Which guests; all when left out." })
  readonly filter?: GuestFilter | null;

  @Field(() => GuestSort, { nullable: true, description: "In which order; by host and VMID when left out." })
  readonly sort?: GuestSort | null;
}

@Resolver(() => Guest)
export class GuestQueries {
  @Query(() => GuestPage, { description: "Guests that the caller may see." })
  guests(
    @Args(() => GuestListArguments) args: GuestListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permitSignedIn(context);
    const filter = args.filter ?? {};
    return selectPaged(context, guests, info, {
      args,
      requires: permitHostFilter(context, filter.hostIds),
      where: guestClauses(filter, knowsOwners(context.viewer)),
      total: guestTotal(filter, context.viewer),
      orderBy: guestOrder(args.sort ?? null),
    });
  }

  @Query(() => Guest, { description: "One guest." })
  async guest(
    @Args(() => GuestArguments) { hostId, type, vmid }: GuestArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permitSignedIn(context);
    permitHost(context, hostId);
    const found = await selectRow(context, guests, info, {
      where: [
        (guest, value) => `${guest}.host_id = ${value(hostId)}`,
        (guest, value) => `${guest}.type = ${value(type)} and ${guest}.vmid = ${value(vmid)}`,
      ],
    });
    if (found === null) throw notFound(`Guest ${type}/${vmid} of host ${hostId}`);
    return found;
  }
}
