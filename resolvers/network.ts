// Queries of bridges and other networks.
import type { GraphQLResolveInfo } from "graphql";
import { Args, Ctx, Info, Query, Resolver } from "type-graphql";
import type { Context } from "../src/context/context.js";
import { networks } from "../src/reads/models/network.js";
import type { RowPage } from "../src/reads/engine/read.js";
import { NodeListArguments } from "../schema/lookup.js";
import { NetworkView, NetworkPage } from "../schema/network.js";
import { selectOfNodes } from "./nodeList.js";

@Resolver(() => NetworkView)
export class NetworkResolver {
  @Query(() => NetworkPage, { description: "Networks of a host or of one node of it, by name, then by node." })
  networks(
    @Args(() => NodeListArguments) args: NodeListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    return selectOfNodes(context, networks, info, args);
  }
}
