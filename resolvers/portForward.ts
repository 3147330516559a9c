// Changes of port forwards.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Args, ArgsType, Ctx, Field, Info, Int, Mutation, Resolver } from "type-graphql";
import { createPortForward, deletePortForward } from "../src/actions/host/portForward.js";
import type { Context } from "../src/context/context.js";
import { portForwards } from "../src/reads/models/portForward.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { PortForward } from "../schema/portForward.js";
import { selectOne } from "./selectOne.js";

@ArgsType()
class PortForwardArguments {
  @Field(() => Int, { description: "Id of the guest." })
  readonly guestId!: number;

  @Field(() => String, { description: "`tcp` or `udp`." })
  readonly protocol!: string;

  @Field(() => Int, { nullable: true, description: "Port on the node; a free one when left out." })
  readonly publicPort?: number | null;

  @Field(() => Int, { description: "Port on the guest." })
  readonly guestPort!: number;
}

@Resolver(() => PortForward)
export class PortForwardMutations {
  @Mutation(() => PortForward, {
    description:
      "Forwards a public port of the guest's node to the guest; the node's agent applies it. Needs `hosts.manage`. Refused with `CONFLICT` (`SAFETY_COPY`, `NAT_NOT_CONFIGURED`, `GUEST_HAS_NO_ADDRESS`, `PORT_TAKEN`, `GUEST_BUSY` while the guest moves).",
  })
  async createPortForward(
    @Args(() => PortForwardArguments) args: PortForwardArguments,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    const id = await createPortForward(context, args);
    return selectOne(context, info, { model: portForwards, id });
  }

  @Mutation(() => Boolean, { description: "Deletes a port forward. Needs `hosts.manage`." })
  async deletePortForward(
    @Arg("id", () => Int, { description: "Id of the forward." }) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deletePortForward(context, id);
    return true;
  }
}
