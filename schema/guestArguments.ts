// The arguments that name one guest, and what is to be done to its power.
import { ArgsType, Field, Int } from "type-graphql";
import { GuestType, PowerAction } from "./enums.js";

@ArgsType()
export class GuestArguments {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => GuestType, { description: "Virtual machine or container." })
  readonly type!: GuestType;

  @Field(() => Int, { description: "VMID." })
  readonly vmid!: number;
}

@ArgsType()
export class PowerArguments extends GuestArguments {
  @Field(() => String, { description: "Node that the guest is believed to be on; it is done where the guest is." })
  readonly node!: string;

  @Field(() => PowerAction, { description: "What to do." })
  readonly action!: PowerAction;
}
