// Arguments of lists that belong to one host.
import { ArgsType, Field, Int } from "type-graphql";
import { PageArguments } from "./page.js";

@ArgsType()
export class HostListArguments extends PageArguments {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;
}

@ArgsType()
export class NodeListArguments extends HostListArguments {
  @Field(() => String, { nullable: true, description: "Only what this node has." })
  readonly node?: string | null;
}
