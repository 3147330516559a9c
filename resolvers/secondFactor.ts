// Changes of second factors: one-time codes of an authenticator app, and the way in for people who have lost them.
import { Arg, Ctx, Int, Mutation, Resolver } from "type-graphql";
import { beginTotp, confirmTotp, removeTotp, resetSecondFactor } from "../src/actions/accounts/totp.js";
import type { Context } from "../src/context/context.js";
import { BegunTotp, RecoveryCodes } from "../schema/secondFactor.js";

@Resolver()
export class SecondFactorMutations {
  @Mutation(() => BegunTotp, {
    description:
      "Begins a key of one-time codes for the caller. It counts for nothing until `confirmTotp`; a confirmed one stays until then.",
  })
  async beginTotp(@Ctx() context: Context): Promise<BegunTotp> {
    const { secret, uri } = await beginTotp(context);
    return { secret, otpauthUri: uri };
  }

  @Mutation(() => RecoveryCodes, {
    description:
      "Makes the key that was begun the caller's second factor, by one of its codes, which is used up, and gives ten recovery codes in place of all earlier ones. Refused with `CONFLICT` when none was begun (`TOTP_NOT_BEGUN`), or another at the same moment (`TOTP_CHANGED`), and with `UNAUTHENTICATED` for a wrong code (`WRONG_CODE`).",
  })
  async confirmTotp(
    @Arg("code", () => String, { description: "Code of the authenticator app." }) code: string,
    @Ctx() context: Context,
  ): Promise<RecoveryCodes> {
    return { recoveryCodes: await confirmTotp(context, code) };
  }

  @Mutation(() => Boolean, {
    description:
      "Removes the caller's one-time codes, and the recovery codes with them; false if there were none. Refused with `UNAUTHENTICATED` (`WRONG_PASSWORD`) for a wrong password, which counts as at sign-in, and with `CONFLICT` (`LAST_SECOND_FACTOR`) where the caller's role needs a second factor.",
  })
  removeTotp(
    @Arg("password", () => String, { description: "The caller's password." }) password: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return removeTotp(context, password);
  }

  @Mutation(() => Boolean, {
    description:
      "Removes all second factors of a user who has lost them; false if there were none. Needs `users.manage`. Refused with `CONFLICT` (`OWN_ACCOUNT`) for the caller's own account.",
  })
  resetSecondFactor(
    @Arg("userId", () => Int, { description: "Id of the user." }) userId: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return resetSecondFactor(context, userId);
  }
}
