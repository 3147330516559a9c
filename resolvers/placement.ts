// The query that previews a placement.
import { Arg, Ctx, Query, Resolver } from "type-graphql";
import { suggestPlacement } from "../src/actions/placement/suggestPlacement.js";
import type { Context } from "../src/context/context.js";
import type { Placement } from "../src/core/placement/place.js";
import { PlacementRequestInput, PlacementResult } from "../schema/placement.js";

@Resolver()
export class PlacementResolver {
  @Query(() => PlacementResult, { description: "Where a guest would be placed now; nothing is created or reserved." })
  placementSuggest(
    @Arg("input", () => PlacementRequestInput, { description: "The guest." }) input: PlacementRequestInput,
    @Ctx() context: Context,
  ): Promise<Placement> {
    return suggestPlacement(context, input);
  }
}
