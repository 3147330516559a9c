// The query that previews a placement.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, Info, Query, Resolver } from "type-graphql";
import { suggestPlacement } from "../src/actions/placement/suggestPlacement.js";
import type { Context } from "../src/context/context.js";
import { placementOf, type Placement } from "../src/core/placement/place.js";
import type { JsonText } from "../src/json/jsonText.js";
import { placementText } from "../src/reads/placement.js";
import { PlacementRequest, PlacementResult } from "../schema/placement.js";

@Resolver()
export class PlacementResolver {
  @Query(() => PlacementResult, { description: "Where a guest would be placed now; nothing is created or reserved." })
  async placementSuggest(
    @Arg("input", () => PlacementRequest, { description: "The guest." }) input: PlacementRequest,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Placement | JsonText> {
    const ranking = await suggestPlacement(context, input);
    return context.recordsAsText ? placementText(ranking, info) : placementOf(ranking);
  }
}
