// The GraphQL view of API tokens and agent tokens, and the input that makes an API token.
import { Field, InputType, Int, ObjectType } from "type-graphql";
import { DateTime } from "./scalars.js";

@ObjectType({ simpleResolvers: true, description: "A token for programs; its value is never shown again." })
export class ApiToken {
  @Field(() => Int, { description: "Id." })
  readonly id!: number;

  @Field(() => String, { description: "Label." })
  readonly name!: string;

  @Field(() => String, { description: "First characters of the value, to tell tokens apart." })
  readonly prefix!: string;

  @Field(() => String, {
    nullable: true,
    description: "One IP address or CIDR a line; null or blank allows any source.",
  })
  readonly allowedIps!: string | null;

  @Field(() => Int, { nullable: true, description: "Requests a minute; null or 0: no limit." })
  readonly rateLimit!: number | null;

  @Field(() => [Int], { description: "Ids of the hosts in scope; empty: every host." })
  readonly connectionScope!: readonly number[];

  @Field(() => [String], { description: "What was granted beyond REST v1, such as `hosts.manage`." })
  readonly permissions!: readonly string[];

  @Field(() => String, { description: "`active`, `expired` or `revoked`." })
  readonly status!: string;

  @Field(() => ApiToken, {
    nullable: true,
    description:
      "The token that made it, with which it is revoked. Null: a person or the command line did, or a token that the caller may not see.",
  })
  readonly madeBy!: ApiToken | null;

  @Field(() => DateTime, { nullable: true, description: "Its last use, at most some seconds late." })
  readonly lastUsedAt!: string | null;

  @Field(() => String, { nullable: true, description: "Address that it was last used from." })
  readonly lastUsedIp!: string | null;

  @Field(() => DateTime, { nullable: true, description: "When it ends; null: never." })
  readonly expiresAt!: string | null;

  @Field(() => DateTime, { description: "When it was made." })
  readonly createdAt!: string;

  @Field(() => DateTime, { nullable: true, description: "When it was revoked." })
  readonly revokedAt!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "An API token that was just made." })
export class CreatedApiToken {
  @Field(() => ApiToken, { description: "The token." })
  readonly token!: ApiToken;

  @Field(() => String, { description: "Its value. Shown once." })
  readonly value!: string;
}

@ObjectType({
  simpleResolvers: true,
  description: "A token for the agent of one node that was just made.",
})
export class CreatedAgentToken {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name of the node." })
  readonly node!: string;

  @Field(() => String, { description: "Its value. Shown once." })
  readonly value!: string;
}

@InputType({ description: "An API token as an operator writes it." })
export class ApiTokenInput {
  @Field(() => String, { description: "Label." })
  readonly name!: string;

  @Field(() => String, { nullable: true, description: "One IP address or CIDR a line; blank allows any source." })
  readonly allowedIps?: string | null;

  @Field(() => Int, { nullable: true, description: "Requests a minute; null or 0: no limit." })
  readonly rateLimit?: number | null;

  @Field(() => [Int], { nullable: true, description: "Ids of the hosts in scope; empty: every host." })
  readonly connectionScope?: number[] | null;

  @Field(() => [String], { nullable: true, description: "What to grant beyond REST v1, such as `hosts.manage`." })
  readonly permissions?: string[] | null;

  @Field(() => DateTime, { nullable: true, description: "When it ends; null: never." })
  readonly expiresAt?: Date | null;
}
