// The GraphQL view of a user.
import { Field, InputType, Int, ObjectType } from "type-graphql";
import { SecondFactorMethod, UserRole } from "./enums.js";
import { pageType } from "./page.js";
import { DateTime } from "./scalars.js";
import { SshKey } from "./sshKey.js";

@ObjectType({ simpleResolvers: true, description: "A person: operator, reseller or customer." })
export class User {
  @Field(() => Int, { description: "Id." })
  readonly id!: number;

  @Field(() => String, { description: "E-mail address, unique." })
  readonly email!: string;

  @Field(() => String, { description: "Login name, unique." })
  readonly username!: string;

  @Field(() => String, { nullable: true, description: "Id that the caller's own system gave the user." })
  readonly userId!: string | null;

  @Field(() => UserRole, { description: "What the person is to the service." })
  readonly role!: UserRole;

  @Field(() => [String], { description: "What the role allows, such as `hosts.manage`." })
  readonly permissions!: readonly string[];

  @Field(() => Boolean, { description: "Whether the person may come in; the sessions of a disabled one do not count." })
  readonly enabled!: boolean;

  @Field(() => [SecondFactorMethod], {
    description: "What signing in takes beside the password, one of them; empty: nothing.",
  })
  readonly secondFactors!: readonly SecondFactorMethod[];

  @Field(() => Int, { description: "Recovery codes that were not used yet." })
  readonly recoveryCodesLeft!: number;

  @Field(() => Int, { description: "Guests that the user owns and the caller may see." })
  readonly guestCount!: number;

  @Field(() => DateTime, { description: "When the user was made." })
  readonly createdAt!: string;

  @Field(() => [SshKey], { description: "Stored SSH keys." })
  readonly sshKeys!: readonly SshKey[];
}

export const UserPage = pageType(() => User, "UserPage");

@ObjectType({ simpleResolvers: true, description: "A user that was just made." })
export class CreatedUser {
  @Field(() => User, { description: "The user." })
  readonly user!: User;

  @Field(() => String, { description: "Generated password. Shown once." })
  readonly password!: string;
}

@ObjectType({ simpleResolvers: true, description: "A password that was just generated." })
export class GeneratedPassword {
  @Field(() => String, { description: "The password. Shown once." })
  readonly password!: string;
}

@InputType({ description: "What to change of an account; what is left out stays." })
export class UserUpdateInput {
  @Field(() => String, { nullable: true, description: "E-mail address, unique." })
  readonly email?: string | null;

  @Field(() => String, { nullable: true, description: "Login name, unique." })
  readonly username?: string | null;

  @Field(() => String, { nullable: true, description: "Id that the caller's own system gives the user; null: none." })
  readonly userId?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Whether the person may come in." })
  readonly enabled?: boolean | null;

  @Field(() => UserRole, { nullable: true, description: "What the person is to the service." })
  readonly role?: UserRole | null;
}
