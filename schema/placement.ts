// The GraphQL view of where placement puts a guest.
import { Field, Float, InputType, Int, ObjectType } from "type-graphql";
import { GuestType } from "./enums.js";

@ObjectType({ simpleResolvers: true, description: "The node and storage that were chosen for a guest." })
export class PlacementChoice {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name of the node." })
  readonly node!: string;

  @Field(() => String, { description: "Name of the storage for the guest's disk." })
  readonly storage!: string;

  @Field(() => String, { description: "Why this node, for people." })
  readonly explanation!: string;
}

@ObjectType("RankedNode", { simpleResolvers: true, description: "A node that the guest could go to." })
export class RankedNodeView {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name of the node." })
  readonly node!: string;

  @Field(() => String, { description: "Name of the storage for the guest's disk." })
  readonly storage!: string;

  @Field(() => Float, { description: "The weighted score, 0..1." })
  readonly score!: number;

  @Field(() => Float, { description: "Free RAM after placement, fraction 0..1 of the node's." })
  readonly ramScore!: number;

  @Field(() => Float, { description: "Idle CPU of the last 30 minutes, fraction 0..1." })
  readonly cpuScore!: number;

  @Field(() => Float, { description: "Free space after placement, fraction 0..1 of the storage's." })
  readonly storageScore!: number;

  @Field(() => Int, { description: "Guests on the node, safety copies not counted." })
  readonly guestCount!: number;

  @Field(() => String, { description: "Where the score comes from, for people." })
  readonly explanation!: string;
}

@ObjectType("DroppedNode", { simpleResolvers: true, description: "A node that cannot get the guest." })
export class DroppedNodeView {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name of the node." })
  readonly node!: string;

  @Field(() => String, { description: "Stable code, such as `NODE_OFFLINE`." })
  readonly code!: string;

  @Field(() => String, { description: "Why, with the numbers, for people." })
  readonly reason!: string;
}

@ObjectType({ simpleResolvers: true, description: "Where a guest would be placed, and why nowhere else." })
export class PlacementResult {
  @Field(() => RankedNodeView, { nullable: true, description: "The best node; null when none is eligible." })
  readonly best!: RankedNodeView | null;

  @Field(() => [RankedNodeView], { description: "Every eligible node, best first." })
  readonly ranked!: readonly RankedNodeView[];

  @Field(() => [DroppedNodeView], { description: "Every other node in the viewer's scope." })
  readonly dropped!: readonly DroppedNodeView[];
}

@InputType("PlacementRequest", { description: "The guest that a place is wanted for." })
export class PlacementRequestInput {
  @Field(() => GuestType, { description: "Virtual machine or container." })
  readonly type!: GuestType;

  @Field(() => Int, { description: "RAM, MiB." })
  readonly memoryMb!: number;

  @Field(() => Int, { description: "CPU cores." })
  readonly cores!: number;

  @Field(() => Int, { description: "Disk, GiB." })
  readonly diskGb!: number;

  @Field(() => Int, { nullable: true, description: "Only nodes of this host." })
  readonly hostId?: number | null;
}
