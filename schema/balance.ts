// The GraphQL view of load balancing: hot nodes and the moves that would cool them.
import { Field, Float, ID, Int, ObjectType, registerEnumType } from "type-graphql";
import { BalanceMode } from "../src/core/enums.js";
import { Guest } from "./guest.js";
import { IpPlanView } from "./ipPlan.js";

registerEnumType(BalanceMode, {
  name: "BalanceMode",
  description: "How balancing chooses the guests that leave a hot node.",
  valuesConfig: {
    SMALLEST_FIRST: { description: "The smallest running guests first, one by one, until the node is cool." },
    FEWEST_MOVES: { description: "As few guests as can cool the node." },
    LEAST_COPY: { description: "Guests that together copy the least data." },
  },
});

@ObjectType("HotNode", { simpleResolvers: true, description: "A node that is above a threshold." })
export class HotNodeView {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name of the node." })
  readonly node!: string;

  @Field(() => Float, { description: "RAM in use, percent." })
  readonly memoryPercent!: number;

  @Field(() => Float, { nullable: true, description: "Average CPU of the last 30 minutes, percent; null: unknown." })
  readonly cpuPercent!: number | null;

  @Field(() => String, { description: "Which threshold it is above, with the numbers." })
  readonly reason!: string;

  @Field(() => String, {
    nullable: true,
    description: "Why it stays hot after all suggestions; null when it does not.",
  })
  readonly unresolvedReason!: string | null;
}

@ObjectType({ simpleResolvers: true, description: "A move that would cool a hot node; nothing moves by itself." })
export class BalanceSuggestion {
  @Field(() => ID, { description: "What `startBalanceRun` takes; it always means this guest, source and target." })
  readonly id!: string;

  @Field(() => Guest, { description: "The guest to move." })
  readonly guest!: Guest;

  @Field(() => Int, { description: "Id of the hot node's host." })
  readonly fromHostId!: number;

  @Field(() => String, { description: "Name of the hot node." })
  readonly fromNode!: string;

  @Field(() => Int, { description: "Id of the target host." })
  readonly toHostId!: number;

  @Field(() => String, { description: "Name of the target node." })
  readonly toNode!: string;

  @Field(() => Int, { description: "RAM that the move frees on the source, MiB." })
  readonly freesMemoryMb!: number;

  @Field(() => Float, { description: "CPU that the move frees, fraction 0..1 of the source's." })
  readonly freesCpu!: number;

  @Field(() => String, { description: "What the guest's users will notice." })
  readonly downtime!: string;

  @Field(() => IpPlanView, { description: "What becomes of the guest's address." })
  readonly ipPlan!: IpPlanView;

  @Field(() => String, { description: "What the move does to both nodes, for people." })
  readonly explanation!: string;
}

@ObjectType({ simpleResolvers: true, description: "A node once every suggestion was carried out." })
export class PredictedNode {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name of the node." })
  readonly node!: string;

  @Field(() => Float, { description: "RAM in use, percent." })
  readonly memoryPercent!: number;

  @Field(() => Float, { nullable: true, description: "CPU, percent; null: unknown." })
  readonly cpuPercent!: number | null;

  @Field(() => Float, { description: "RAM in use at present, percent." })
  readonly memoryPercentNow!: number;

  @Field(() => Float, { nullable: true, description: "CPU at present, percent; null: unknown." })
  readonly cpuPercentNow!: number | null;

  @Field(() => Boolean, { description: "Whether it would still be above a threshold." })
  readonly hot!: boolean;
}

@ObjectType({ simpleResolvers: true, description: "A running guest of a hot node that is not suggested." })
export class PassedOverGuest {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name of the node." })
  readonly node!: string;

  @Field(() => Int, { description: "VMID." })
  readonly vmid!: number;

  @Field(() => String, { description: "Why it is passed over." })
  readonly reason!: string;
}

@ObjectType("BalanceReport", { simpleResolvers: true, description: "Hot nodes, and suggestions that would cool them." })
export class BalanceReportView {
  @Field(() => [HotNodeView], { description: "Nodes above a threshold, hottest first." })
  readonly hotNodes!: readonly HotNodeView[];

  @Field(() => [BalanceSuggestion], { description: "Suggested moves in the order in which they count on each other." })
  readonly suggestions!: readonly BalanceSuggestion[];

  @Field(() => [PassedOverGuest], { description: "Running guests of hot nodes that are passed over, with the reason." })
  readonly passedOver!: readonly PassedOverGuest[];

  @Field(() => [PredictedNode], { description: "Every node as it would be after all suggestions." })
  readonly predicted!: readonly PredictedNode[];
}
