// Queries and changes of API tokens.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, Info, Int, Mutation, Query, Resolver } from "type-graphql";
import { permit } from "../src/access/permit.js";
import { createApiToken, revokeApiToken } from "../src/actions/accounts/token.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import { apiTokens } from "../src/reads/models/apiToken.js";
import { selectRows, type ReadRow } from "../src/reads/engine/read.js";
import { ApiToken, ApiTokenInput, CreatedApiToken } from "../schema/apiToken.js";
import { selectOne } from "./selectOne.js";

@Resolver(() => ApiToken)
export class ApiTokenResolver {
  @Query(() => [ApiToken], {
    description:
      "API tokens, ended ones included, newest first. Needs `hosts.manage`; a token of bounded scope sees those that reach no further.",
  })
  apiTokens(@Ctx() context: Context, @Info() info: GraphQLResolveInfo): Promise<ReadRow[]> {
    permit(context, Permission.HOSTS_MANAGE);
    return selectRows(context, apiTokens, info, { orderBy: (token) => `${token}.id desc` });
  }

  @Mutation(() => CreatedApiToken, {
    description:
      "Makes an API token, whose value is shown once. A token cannot make one with more than it has itself: hosts, permissions, allowed IPs, rate limit, expiry. Needs `hosts.manage`. Refused with `FORBIDDEN` (`BEYOND_OWN_TOKEN`).",
  })
  async createApiToken(
    @Arg("input", () => ApiTokenInput, { description: "The token." }) input: ApiTokenInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<object> {
    const { id, value } = await createApiToken(context, input);
    return { value, token: await selectOne(context, info, { model: apiTokens, id, field: "token" }) };
  }

  @Mutation(() => ApiToken, {
    description:
      "Revokes an API token at once, with every token that it made, and those that they made. Needs `hosts.manage`.",
  })
  async revokeApiToken(
    @Arg("id", () => Int, { description: "Id of the token." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    await revokeApiToken(context, id);
    return selectOne(context, info, { model: apiTokens, id });
  }
}
