// Queries of storages.
import type { GraphQLResolveInfo } from "graphql";
import { Args, Ctx, Info, Query, Resolver } from "type-graphql";
import type { Context } from "../src/context/context.js";
import type { RowPage } from "../src/reads/engine/read.js";
import { storages } from "../src/reads/models/storage.js";
import { NodeListArguments } from "../schema/lookup.js";
import { Storage, StoragePage } from "../schema/storage.js";
import { selectOfNodes } from "./nodeList.js";

@Resolver(() => Storage)
export class StorageResolver {
  @Query(() => StoragePage, { description: "Storages of a host or of one node of it, by name, then by node." })
  storages(
    @Args(() => NodeListArguments) args: NodeListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    return selectOfNodes(context, storages, info, args);
  }
}
