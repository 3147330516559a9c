// The GraphQL view of a port forward.
import { Field, Int, ObjectType } from "type-graphql";

@ObjectType({ simpleResolvers: true, description: "A public port of a node that leads to a port of a guest." })
export class PortForward {
  @Field(() => Int, { description: "Id." })
  readonly id!: number;

  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name of the node that forwards." })
  readonly node!: string;

  @Field(() => Int, { description: "Id of the guest." })
  readonly guestId!: number;

  @Field(() => String, { description: "`tcp` or `udp`." })
  readonly protocol!: string;

  @Field(() => Int, { description: "Port on the node." })
  readonly publicPort!: number;

  @Field(() => Int, { description: "Port on the guest." })
  readonly guestPort!: number;

  @Field(() => String, { description: "Address of the guest." })
  readonly guestAddress!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "Why the node's agent could not apply the node's forwards the last time; they are sent again every minute. Null: it could, or has not tried yet.",
  })
  readonly problem!: string | null;
}
