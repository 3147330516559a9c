// The query for the caller's own identity and permissions.
import type { GraphQLResolveInfo } from "graphql";
import { Ctx, Info, Query, Resolver } from "type-graphql";
import { permitKnown } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { apiTokens } from "../src/reads/models/apiToken.js";
import { selectRow, type ReadRow } from "../src/reads/engine/read.js";
import { users } from "../src/reads/models/user.js";
import { ViewerView } from "../schema/session.js";

@Resolver(() => ViewerView)
export class ViewerResolver {
  @Query(() => ViewerView, { description: "Who is asking, and what they may do." })
  async viewer(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<ReadRow> {
    permitKnown(context);
    const { viewer } = context;
    return {
      permissions: [...viewer.permissions],
      hostIds: viewer.hostIds,
      mustSetUpSecondFactor: viewer.kind === "user" && viewer.mustSetUp,
      user: viewer.kind === "user" ? await recordOf(context, info, viewer.userId) : null,
      apiToken: viewer.kind === "token" ? await recordOf(context, info, viewer.tokenId) : null,
    };
  }
}

/** The viewer's own record, when it was asked for. */
function recordOf(context: Context, info: GraphQLResolveInfo, id: number): Promise<ReadRow | null> {
  const [model, field] = context.viewer.kind === "user" ? [users, "user"] : [apiTokens, "apiToken"];
  return selectRow(context, model, info, { where: [(row, value) => `${row}.id = ${value(id)}`], path: [field] });
}
