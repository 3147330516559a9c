// Changes of users and of their SSH keys.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Mutation, Resolver } from "type-graphql";
import { assignNodesToReseller } from "../src/actions/accounts/assignNodes.js";
import { addSshKey, removeSshKey, type SshKeyRecord } from "../src/actions/accounts/sshKey.js";
import { resetPassword } from "../src/actions/accounts/password.js";
import { updateUser } from "../src/actions/accounts/updateUser.js";
import { createUser, deleteUser } from "../src/actions/accounts/user.js";
import type { Context } from "../src/context/context.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { users } from "../src/reads/models/user.js";
import { UserRole } from "../schema/enums.js";
import { SshKey } from "../schema/sshKey.js";
import { CreatedUser, GeneratedPassword, User, UserUpdateInput } from "../schema/user.js";
import { selectOne } from "./selectOne.js";

@ArgsType()
class UserArguments {
  @Field(() => String, { description: "E-mail address, unique." })
  readonly email!: string;

  @Field(() => String, { description: "Login name, unique." })
  readonly username!: string;

  @Field(() => String, { nullable: true, description: "Id that the caller's own system gives the user." })
  readonly userId?: string | null;

  @Field(() => UserRole, {
    nullable: true,
    defaultValue: UserRole.CUSTOMER,
    description: "What the person is to the service.",
  })
  readonly role?: UserRole | null;
}

@ArgsType()
class SshKeyArguments {
  @Field(() => Int, { description: "Id of the user." })
  readonly userId!: number;

  @Field(() => String, { description: "Name; blank: the key's own comment." })
  readonly name!: string;

  @Field(() => String, { description: "The key in OpenSSH's format." })
  readonly publicKey!: string;
}

@ArgsType()
class NodeAssignmentArguments {
  @Field(() => Int, { description: "Id of the reseller." })
  readonly userId!: number;

  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => [String], { description: "Names of all nodes of this host that the reseller may use." })
  readonly nodes!: string[];
}

@Resolver(() => User)
export class UserMutations {
  @Mutation(() => CreatedUser, {
    description:
      "Makes a user with a generated password, which is shown once. Needs `users.manage`. Refused with `FORBIDDEN` for a role above the caller's own.",
  })
  async createUser(
    @Args(() => UserArguments) args: UserArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<object> {
    const { id, password } = await createUser(context, args);
    return { password, user: await selectOne(context, info, { model: users, id, field: "user" }) };
  }

  @Mutation(() => Boolean, {
    description:
      "Deletes a user; their guests stay, without an owner. Needs `users.manage`. Refused with `CONFLICT` (`OWN_ACCOUNT`) for the caller's own account.",
  })
  async deleteUser(
    @Arg("id", () => Int, { description: "Id of the user." }) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteUser(context, id);
    return true;
  }

  @Mutation(() => User, {
    description:
      "Changes an account. The sessions of a user that is disabled no longer count, within a second in every process; they count again when it is enabled. Needs `users.manage`. Refused with `FORBIDDEN` for a role above the caller's own, and with `CONFLICT` for the last enabled admin (`LAST_ADMIN`) and for disabling oneself (`OWN_ACCOUNT`).",
  })
  async updateUser(
    @Arg("id", () => Int, { description: "Id of the user." }) id: number,
    @Arg("input", () => UserUpdateInput, { description: "What to change." }) input: UserUpdateInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    await updateUser(context, id, input);
    return selectOne(context, info, { model: users, id });
  }

  @Mutation(() => GeneratedPassword, {
    description:
      "Gives a user a generated password, which is shown once, and ends all of their sessions. Needs `users.manage`. Refused with `CONFLICT` (`OWN_ACCOUNT`) for the caller's own account.",
  })
  async resetPassword(
    @Arg("userId", () => Int, { description: "Id of the user." }) userId: number,
    @Ctx() context: Context,
  ): Promise<object> {
    return { password: await resetPassword(context, userId) };
  }

  @Mutation(() => SshKey, { description: "Stores an SSH key, which is installed on the user's new guests." })
  addSshKey(@Args(() => SshKeyArguments) args: SshKeyArguments, @Ctx() context: Context): Promise<SshKeyRecord> {
    return addSshKey(context, args);
  }

  @Mutation(() => Boolean, { description: "Removes a stored SSH key; guests keep theirs." })
  async removeSshKey(
    @Arg("id", () => Int, { description: "Id of the key." }) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await removeSshKey(context, id);
    return true;
  }

  @Mutation(() => User, {
    description:
      "Sets the nodes of a host on which a reseller may create guests; nodes of other hosts stay assigned. Needs `hosts.manage`.",
  })
  async assignNodesToReseller(
    @Args(() => NodeAssignmentArguments) args: NodeAssignmentArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    await assignNodesToReseller(context, args);
    return selectOne(context, info, { model: users, id: args.userId });
  }
}
