// The GraphQL view of who is asking: a session of a person, and the viewer of a request.
import { Field, Int, ObjectType } from "type-graphql";
import { ApiToken } from "./apiToken.js";
import { SessionKind, SignInOutcome } from "./enums.js";
import { pageType } from "./page.js";
import { DateTime, SafeInt } from "./scalars.js";
import { User } from "./user.js";

@ObjectType({ simpleResolvers: true, description: "A session that was just opened." })
export class Session {
  @Field(() => String, {
    nullable: true,
    description: "Bearer token of the session. Shown once; null: the answer's cookie has it.",
  })
  readonly token!: string | null;

  @Field(() => DateTime, { description: "When it ends." })
  readonly expiresAt!: Date;

  @Field(() => User, { description: "Who signed in." })
  readonly user!: User;
}

@ObjectType({ simpleResolvers: true, description: "A session of a person that has not ended." })
export class UserSession {
  @Field(() => Int, { description: "Id." })
  readonly id!: number;

  @Field(() => DateTime, { description: "When the person signed in." })
  readonly createdAt!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: "Its last request, at most some seconds late; null: none since an upgrade.",
  })
  readonly lastUsedAt!: string | null;

  @Field(() => DateTime, {
    description: "When it ends, unless it is unused for too long before (`sessionIdleMinutes`).",
  })
  readonly expiresAt!: string;

  @Field(() => String, { nullable: true, description: "Address that it was last used from; null: not known." })
  readonly sourceIp!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "How the program that signed in names itself; null: it does not.",
  })
  readonly userAgent!: string | null;

  @Field(() => SessionKind, { description: "How it is sent with each request." })
  readonly kind!: SessionKind;

  @Field(() => Boolean, { description: "Whether it is the one that asks." })
  readonly current!: boolean;
}

@ObjectType({ simpleResolvers: true, description: "A sign-in of a person, or a try that failed." })
class SignIn {
  @Field(() => SafeInt, { description: "Id." })
  readonly id!: number;

  @Field(() => DateTime, { description: "When it was." })
  readonly at!: string;

  @Field(() => String, { description: "Address that it came from." })
  readonly sourceIp!: string;

  @Field(() => String, { nullable: true, description: "How the program names itself; null: it does not." })
  readonly userAgent!: string | null;

  @Field(() => SignInOutcome, { description: "How it ended." })
  readonly outcome!: SignInOutcome;

  @Field(() => Boolean, {
    description: "Whether the person had not signed in from this address (of IPv6 its /64) in the 30 days before.",
  })
  readonly newAddress!: boolean;
}

export const SignInPage = pageType(() => SignIn, "SignInPage");

@ObjectType("Viewer", { simpleResolvers: true, description: "Who is asking, and what they may do." })
export class ViewerView {
  @Field(() => User, { nullable: true, description: "The person who signed in; null for a token." })
  readonly user!: User | null;

  @Field(() => ApiToken, { nullable: true, description: "The API token; null for a person." })
  readonly apiToken!: ApiToken | null;

  @Field(() => [String], { description: "What the viewer may do, such as `hosts.manage`." })
  readonly permissions!: readonly string[];

  @Field(() => Boolean, {
    description:
      "Whether the viewer must set up a second factor before anything else: all but the own account is refused with `FORBIDDEN` (`SECOND_FACTOR_SETUP_REQUIRED`).",
  })
  readonly mustSetUpSecondFactor!: boolean;

  @Field(() => [Int], { nullable: true, description: "Ids of the hosts in scope; null: no such limit." })
  readonly hostIds!: readonly number[] | null;
}
