// The GraphQL view of what evacuations and balance runs have in common: guests that move one at a time.
import { ArgsType, Field, Float, Int, ObjectType, registerEnumType } from "type-graphql";
import { RunItemStatus, RunStatus } from "../src/core/enums.js";
import { Migration } from "./migration.js";
import { PageArguments } from "./page.js";
import { DateTime } from "./scalars.js";

registerEnumType(RunStatus, {
  name: "RunStatus",
  description: "The life of an evacuation or a balance run.",
  valuesConfig: {
    QUEUED: { description: "It waits for a worker." },
    RUNNING: { description: "Its guests are moved one at a time." },
    STOPPING: { description: "A stop was requested, and the current move goes on to its end." },
    STOPPED: { description: "It was stopped before all guests had their turn." },
    DONE: { description: "Every guest has moved." },
    DONE_WITH_WARNINGS: { description: "Some guests were skipped, failed, or moved with warnings." },
    FAILED: { description: "No guest has moved, and at least one failed." },
  },
});
registerEnumType(RunItemStatus, {
  name: "RunItemStatus",
  description: "The state of one guest of a run.",
  valuesConfig: {
    WAITING: { description: "Its turn has not come." },
    RUNNING: { description: "It is being moved." },
    DONE: { description: "It has moved." },
    DONE_WITH_WARNINGS: { description: "It has moved, with warnings." },
    FAILED: { description: "Its move failed." },
    SKIPPED: { description: "It was not moved; the reason says why." },
  },
});

@ObjectType({ simpleResolvers: true, description: "One guest of an evacuation or a balance run." })
export class RunItem {
  @Field(() => Int, { description: "Id." })
  readonly id!: number;

  @Field(() => Int, { nullable: true, description: "Id of the guest." })
  readonly guestId!: number | null;

  @Field(() => String, { description: "Name of the guest when the run was started." })
  readonly guestName!: string;

  @Field(() => Int, { description: "VMID of the guest when the run was started." })
  readonly vmid!: number;

  @Field(() => RunItemStatus, { description: "Settled by where the guest really is." })
  readonly status!: RunItemStatus;

  @Field(() => String, {
    nullable: true,
    description:
      "Why it was skipped or failed, or what the warnings are; only that it is hidden from a token which reaches less far than the run.",
  })
  readonly reason!: string | null;

  @Field(() => Migration, {
    nullable: true,
    description: "Its migration, once it was started; null also when either end is out of scope.",
  })
  readonly migration!: Migration | null;

  @Field(() => Int, {
    nullable: true,
    description: "Id of the host that it goes to; null while none has room, or when that is out of scope.",
  })
  readonly toHostId!: number | null;

  @Field(() => String, { nullable: true, description: "Name of the node that it goes to; null with `toHostId`." })
  readonly toNode!: string | null;
}

/** Fields of every run. */
@ObjectType({ simpleResolvers: true })
export abstract class Run {
  @Field(() => Int, { description: "Id." })
  readonly id!: number;

  @Field(() => RunStatus, { description: "Computed from its guests." })
  readonly status!: RunStatus;

  @Field(() => String, {
    nullable: true,
    description:
      "Why it does not go on, when no worker that serves moves was seen for two minutes, or work is drained; else null.",
  })
  readonly notice!: string | null;

  @Field(() => DateTime, { nullable: true, description: "When a worker first took it." })
  readonly startedAt!: string | null;

  @Field(() => DateTime, { nullable: true, description: "When its last guest was settled." })
  readonly finishedAt!: string | null;

  @Field(() => [RunItem], { description: "Its guests in the order of their turns." })
  readonly items!: readonly RunItem[];

  @Field(() => Int, { description: "Guests that are settled, skipped ones included." })
  readonly done!: number;

  @Field(() => Int, { description: "Guests in all." })
  readonly total!: number;

  @Field(() => Float, { description: "Settled guests, fraction 0..1 of all." })
  readonly progress!: number;
}

@ArgsType()
export class RunListArguments extends PageArguments {
  @Field(() => [Int], { nullable: true, description: "Only runs with these ids." })
  readonly ids?: number[] | null;
}
