// The GraphQL view of evacuations: who can leave a host, and how its emptying goes.
import { ArgsType, Field, InputType, Int, ObjectType } from "type-graphql";
import { MigrationMode } from "../src/core/enums.js";
import { Guest } from "./guest.js";
import { IpPlanView } from "./ipPlan.js";
import { CheckView } from "./migrationPlan.js";
import { pageType } from "./page.js";
import { Run } from "./run.js";

@ObjectType({ simpleResolvers: true, description: "A guest that is offered for evacuation." })
export class EvacuationCandidate {
  @Field(() => Guest, { description: "The guest." })
  readonly guest!: Guest;

  @Field(() => Int, { nullable: true, description: "Id of the host that it would go to; null: none has room." })
  readonly toHostId!: number | null;

  @Field(() => String, { nullable: true, description: "Name of the node that it would go to." })
  readonly toNode!: string | null;

  @Field(() => MigrationMode, { description: "How it would move." })
  readonly mode!: MigrationMode;

  @Field(() => Boolean, { description: "Whether nothing blocks its move." })
  readonly startable!: boolean;

  @Field(() => [CheckView], { description: "What blocks its move." })
  readonly problems!: readonly CheckView[];

  @Field(() => Int, { nullable: true, description: "Expected duration, seconds; null: unknown." })
  readonly expectedSeconds!: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "As in the summary of its plan: its bytes at the pace that the route has shown, seconds; null: unknown.",
  })
  readonly transferSeconds!: number | null;

  @Field(() => IpPlanView, { description: "What becomes of its address." })
  readonly ipPlan!: IpPlanView;
}

@ObjectType({ simpleResolvers: true, description: "The emptying of a host, guest by guest." })
export class Evacuation extends Run {
  @Field(() => Int, { description: "Id of the host that is emptied." })
  readonly hostId!: number;

  @Field(() => String, { nullable: true, description: "Only this node of it; null: every node." })
  readonly node!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Id of the chosen target host; null: placement chooses, or it is out of scope.",
  })
  readonly targetHostId!: number | null;

  @Field(() => String, {
    nullable: true,
    description: "Name of the chosen target node; null: placement chooses, or it is out of scope.",
  })
  readonly targetNode!: string | null;
}

export const EvacuationPage = pageType(() => Evacuation, "EvacuationPage");

@InputType({ description: "An evacuation to start." })
export class EvacuationInput {
  @Field(() => Int, { description: "Id of the host to empty." })
  readonly hostId!: number;

  @Field(() => String, { nullable: true, description: "Only this node of it." })
  readonly node?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Id of the target host; left out: each guest goes where placement finds the best room.",
  })
  readonly targetHostId?: number | null;

  @Field(() => String, { nullable: true, description: "Name of the target node; left out: placement chooses." })
  readonly targetNode?: string | null;

  @Field(() => [Int], { description: "Ids of the guests, in the order of their turns; none with `allGuests`." })
  readonly guestIds!: number[];

  @Field(() => Boolean, {
    nullable: true,
    description: "All guests that can be chosen, however many, in place of `guestIds`.",
  })
  readonly allGuests?: boolean | null;

  @Field(() => Int, { nullable: true, description: "IP zone of the target host for addresses that cannot be kept." })
  readonly ipZoneId?: number | null;

  @Field(() => Boolean, { nullable: true, description: "Gives up port forwards that cannot move." })
  readonly dropPortForwards?: boolean | null;
}

@ArgsType()
export class CandidateArguments {
  @Field(() => Int, { description: "Id of the host to empty." })
  readonly hostId!: number;

  @Field(() => String, { nullable: true, description: "Only this node of it." })
  readonly node?: string | null;

  @Field(() => Int, { nullable: true, description: "Id of the target host; left out: placement chooses." })
  readonly targetHostId?: number | null;

  @Field(() => String, { nullable: true, description: "Name of the target node; left out: placement chooses." })
  readonly targetNode?: string | null;

  @Field(() => Int, { nullable: true, description: "IP zone of the target host." })
  readonly ipZoneId?: number | null;

  @Field(() => Boolean, { nullable: true, description: "Gives up port forwards that cannot move." })
  readonly dropPortForwards?: boolean | null;
}
