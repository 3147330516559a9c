// The GraphQL view of a bridge or another network of a node.
import { Field, ObjectType } from "type-graphql";
import { pageType } from "./page.js";

@ObjectType("Network", { simpleResolvers: true, description: "A bridge or another network of one node." })
export class NetworkView {
  @Field(() => String, { description: "Name, such as `vmbr0`." })
  readonly name!: string;

  @Field(() => String, { description: "Name of the node." })
  readonly node!: string;

  @Field(() => String, { description: "Type on the platform, such as `bridge`." })
  readonly type!: string;

  @Field(() => Boolean, { description: "Whether it is up." })
  readonly active!: boolean;

  @Field(() => String, { nullable: true, description: "Address and prefix length of the node on it." })
  readonly cidr!: string | null;
}

export const NetworkPage = pageType(() => NetworkView, "NetworkPage");
