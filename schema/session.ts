// The GraphQL view of who is asking: a session of a person, and the viewer of a request.
import { Field, Int, ObjectType } from "type-graphql";
import { ApiToken } from "./apiToken.js";
import { DateTime } from "./scalars.js";
import { User } from "./user.js";

@ObjectType({ simpleResolvers: true, description: "A session that was just opened." })
export class Session {
  @Field(() => String, { description: "Bearer token of the session. Shown once." })
  readonly token!: string;

  @Field(() => DateTime, { description: "When it ends." })
  readonly expiresAt!: Date;

  @Field(() => User, { description: "Who signed in." })
  readonly user!: User;
}

@ObjectType("Viewer", { simpleResolvers: true, description: "Who is asking, and what they may do." })
export class ViewerView {
  @Field(() => User, { nullable: true, description: "The person who signed in; null for a token." })
  readonly user!: User | null;

  @Field(() => ApiToken, { nullable: true, description: "The API token; null for a person." })
  readonly apiToken!: ApiToken | null;

  @Field(() => [String], { description: "What the viewer may do, such as `hosts.manage`." })
  readonly permissions!: readonly string[];

  @Field(() => [Int], { nullable: true, description: "Ids of the hosts in scope; null: no such limit." })
  readonly hostIds!: readonly number[] | null;
}
