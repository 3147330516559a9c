// Signing in and out, sessions, and the own password.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Mutation, Query, Resolver } from "type-graphql";
import { permissionsOfRole } from "../src/core/access/permissions.js";
import { endSession, endSessions, logout, permitSessionsOf } from "../src/actions/accounts/endSession.js";
import { changePassword } from "../src/actions/accounts/password.js";
import { login } from "../src/actions/accounts/session.js";
import type { Context } from "../src/context/context.js";
import { UserRole } from "../src/core/enums.js";
import { selectRows, type ReadRow, type RowPage } from "../src/reads/engine/read.js";
import { sessions } from "../src/reads/models/session.js";
import { signIns } from "../src/reads/models/signIn.js";
import { users } from "../src/reads/models/user.js";
import { PageArguments } from "../schema/page.js";
import { Session, SignInPage, UserSession } from "../schema/session.js";
import { selectPaged } from "./paging.js";
import { selectOne } from "./selectOne.js";

@ArgsType()
class SignInListArguments extends PageArguments {
  @Field(() => Int, { nullable: true, description: "Id of the user; null: the caller." })
  readonly userId?: number | null;
}

@Resolver(() => Session)
export class SessionResolver {
  @Query(() => [UserSession], {
    description:
      "Sessions that have not ended, the one used last first: the caller's own, or those of a user whom the caller may manage.",
  })
  async sessions(
    @Arg("userId", () => Int, { nullable: true, description: "Id of the user; null: the caller." })
    userId: number | null,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow[]> {
    const ownerId = await permitSessionsOf(context, userId ?? null);
    return selectRows(context, sessions, info, {
      where: [
        (session, value) => `${session}.user_id = ${value(ownerId)}`,
        (session, value) => `session_end(${session}) > ${value(context.clock.now())}`,
      ],
      orderBy: (session) => `${session}.last_used_at desc nulls last, ${session}.id desc`,
    });
  }

  @Query(() => SignInPage, {
    description:
      "Sign-ins, and tries with a wrong password, of the last 90 days, newest first: the caller's own, or those of a user whom the caller may manage.",
  })
  async signIns(
    @Args(() => SignInListArguments) args: SignInListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    const ownerId = await permitSessionsOf(context, args.userId ?? null);
    return selectPaged(context, signIns, info, {
      args,
      where: [(signIn, value) => `${signIn}.user_id = ${value(ownerId)}`],
      orderBy: (signIn) => `${signIn}.id desc`,
    });
  }

  @Mutation(() => Session, {
    description:
      "Signs a person in for 12 hours, or for 30 days with `remember`, unless the settings say otherwise. With the header `X-Drover-Session: cookie` the session comes as the cookie `drover_session`, which no script of a page can read. Refused with `UNAUTHENTICATED` for a wrong user name or password and for a disabled account (`ACCOUNT_DISABLED`); for a second factor that is due (`SECOND_FACTOR_REQUIRED`, with `extensions.methods`) until the same is sent with its code, and for a wrong code (`WRONG_CODE`); and with `RATE_LIMITED` after five wrong passwords or codes a minute of an account or an address, and twenty wrong codes an hour of an account; where the person has signed in within 30 days, only those for the account itself count.",
  })
  async login(
    @Arg("username", () => String, { description: "Login name." }) username: string,
    @Arg("password", () => String, { description: "Password." }) password: string,
    @Arg("code", () => String, {
      nullable: true,
      description:
        "Code of the second factor: of an authenticator app, or a recovery code. Null: it was not asked for.",
    })
    code: string | null,
    @Arg("remember", () => Boolean, {
      nullable: true,
      description:
        "Whether the session lasts for days, and its cookie longer than the browser is open. Default: false.",
    })
    remember: boolean | null,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<object> {
    const { token, expiresAt, userId } = await login(context, {
      username,
      password,
      code,
      remember: remember ?? false,
    });
    const user = await selectOne(asThemselves(context, userId), info, { model: users, id: userId, field: "user" });
    return { token, expiresAt, user };
  }

  @Mutation(() => Boolean, {
    description: "Ends the caller's session at once; false if the caller has none, as with an API token.",
  })
  logout(@Ctx() context: Context): Promise<boolean> {
    return logout(context);
  }

  @Mutation(() => Boolean, {
    description:
      "Ends a session within a second in every process, and closes its WebSockets: one's own, or one of a user whom the caller may manage.",
  })
  async endSession(
    @Arg("id", () => Int, { description: "Id of the session." }) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await endSession(context, id);
    return true;
  }

  @Mutation(() => Int, {
    description:
      "Ends all sessions of the caller but the present one, or all of a user whom the caller may manage. Gives how many.",
  })
  endSessions(
    @Arg("userId", () => Int, { nullable: true, description: "Id of the user; null: the caller." })
    userId: number | null,
    @Ctx() context: Context,
  ): Promise<number> {
    return endSessions(context, userId ?? null);
  }

  @Mutation(() => Boolean, {
    description:
      "Changes the caller's own password, and ends their other sessions. Refused with `UNAUTHENTICATED` (`WRONG_PASSWORD`) for a wrong one, which counts as at sign-in, and with `VALIDATION_FAILED` for a new one that is shorter than 10 characters, their own name or e-mail address, or among the most used, and with `CONFLICT` (`PASSWORD_CHANGED`) when it is changed twice at once.",
  })
  async changePassword(
    @Arg("current", () => String, { description: "The present password." }) current: string,
    @Arg("new", () => String, { description: "The password from now on." }) next: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await changePassword(context, { current, next });
    return true;
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
    sessionId: 0,
    mustSetUp: false,
  },
});
