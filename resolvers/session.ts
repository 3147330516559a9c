// Signing in and out.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, Info, Mutation, Resolver } from "type-graphql";
import { permissionsOfRole } from "../src/core/access/permissions.js";
import { login, logout } from "../src/actions/accounts/session.js";
import type { Context } from "../src/context/context.js";
import { UserRole } from "../src/core/enums.js";
import { users } from "../src/reads/models/user.js";
import { Session } from "../schema/session.js";
import { selectOne } from "./selectOne.js";

@Resolver(() => Session)
export class SessionResolver {
  @Mutation(() => Session, {
    description:
      "Signs a person in for 12 hours. Refused with `UNAUTHENTICATED` for a wrong user name or password, and with `RATE_LIMITED` after five wrong passwords a minute of an account or an address.",
  })
  async login(
    @Arg("username", () => String, { description: "Login name." }) username: string,
    @Arg("password", () => String, { description: "Password." }) password: string,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<object> {
    const { token, expiresAt, userId } = await login(context, { username, password });
    const user = await selectOne(asThemselves(context, userId), info, { model: users, id: userId, field: "user" });
    return { token, expiresAt, user };
  }

  @Mutation(() => Boolean, {
    description: "Ends the caller's session at once; false if the caller has none, as with an API token.",
  })
  logout(@Ctx() context: Context): Promise<boolean> {
    return logout(context);
  }
}

/** The rest of this answer is read as the person who has just signed in sees it: nobody was signed in when it was asked. */
const asThemselves = (context: Context, userId: number): Context => ({
  ...context,
  viewer: {
    kind: "user",
    userId,
    username: "",
    role: UserRole.CUSTOMER,
    permissions: new Set(permissionsOfRole(UserRole.CUSTOMER)),
    hostIds: null,
    sessionHash: "",
  },
});
