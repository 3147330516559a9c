// Queries of users and of their SSH keys.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Query, Resolver } from "type-graphql";
import { permit, permitSignedIn } from "../src/access/permit.js";
import type { Context } from "../src/context/context.js";
import { Permission } from "../src/core/access/permissions.js";
import type { ReadRow, RowPage } from "../src/reads/engine/read.js";
import { userExists } from "../src/reads/models/requirements.js";
import { sshKeys, users, userClauses } from "../src/reads/models/user.js";
import { UserRole } from "../schema/enums.js";
import { PageArguments } from "../schema/page.js";
import { SshKeyPage } from "../schema/sshKey.js";
import { User, UserPage } from "../schema/user.js";
import { selectPaged } from "./paging.js";
import { selectOne } from "./selectOne.js";

@ArgsType()
class UserListArguments extends PageArguments {
  @Field(() => UserRole, { nullable: true, description: "Only users of this role." })
  readonly role?: UserRole | null;

  @Field(() => String, { nullable: true, description: "Only the user of this e-mail address, in any case." })
  readonly email?: string | null;

  @Field(() => String, { nullable: true, description: "Only the user of this login name, in any case." })
  readonly username?: string | null;

  @Field(() => String, { nullable: true, description: "Only users to whom the caller's own system gave this id." })
  readonly userId?: string | null;

  @Field(() => String, { nullable: true, description: "Only users whose e-mail, login name or own id contains this." })
  readonly search?: string | null;
}

@ArgsType()
class SshKeyListArguments extends PageArguments {
  @Field(() => Int, { description: "Id of the user." })
  readonly userId!: number;
}

@Resolver(() => User)
export class UserQueries {
  @Query(() => UserPage, { description: "Users whom the caller may know, by id; resellers see their own customers." })
  users(
    @Args(() => UserListArguments) args: UserListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permit(context, Permission.USERS_MANAGE);
    return selectPaged(context, users, info, {
      args,
      where: userClauses(args),
      orderBy: (user) => `${user}.id`,
    });
  }

  @Query(() => User, { description: "One user whom the caller may know; everybody knows themselves." })
  user(
    @Arg("id", () => Int, { description: "Id of the user." }) id: number,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    permitSignedIn(context);
    return selectOne(context, info, { model: users, id });
  }

  @Query(() => SshKeyPage, { description: "SSH keys of a user whom the caller may know, by id." })
  sshKeys(
    @Args(() => SshKeyListArguments) args: SshKeyListArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<RowPage> {
    permitSignedIn(context);
    return selectPaged(context, sshKeys, info, {
      args,
      requires: [userExists(args.userId)],
      where: [(key, value) => `${key}.user_id = ${value(args.userId)}`],
      orderBy: (key) => `${key}.id`,
    });
  }
}
