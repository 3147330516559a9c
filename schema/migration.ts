// The GraphQL view of a migration, and which of them to list.
import { Field, Float, InputType, Int, ObjectType, registerEnumType } from "type-graphql";
import { MIGRATION_STEPS, MigrationMode, MigrationStatus, MigrationStep, SafetyCopyState } from "../src/core/enums.js";
import { GuestType } from "./enums.js";
import { pageType } from "./page.js";
import { DateTime, SafeInt } from "./scalars.js";
import { RollbackField, UndoneStepsField, type Rollback, type UndoneStep } from "./rollback.js";
import { WaitingForField, type WaitingFor } from "./waitingFor.js";

registerEnumType(MigrationStatus, {
  name: "MigrationStatus",
  description: "The life of a migration.",
  valuesConfig: {
    QUEUED: { description: "It waits for a worker." },
    RUNNING: { description: "A worker carries it out, or undoes what it did after a failure." },
    DONE: { description: "The guest has moved." },
    DONE_WITH_WARNINGS: {
      description:
        "The guest has moved, but some step after the transfer went wrong; `retryable` is true if it can be retried.",
    },
    FAILED: { description: "It has failed; `retryable` is true if it can be retried." },
  },
});
registerEnumType(MigrationStep, {
  name: "MigrationStep",
  description: "The steps of a migration, in their order.",
  valuesConfig: MIGRATION_STEPS,
});
registerEnumType(SafetyCopyState, {
  name: "SafetyCopyState",
  description: "What became of the original.",
  valuesConfig: {
    NONE: { description: "There is no safety copy." },
    KEPT: { description: "The safety copy is there." },
    DELETING: { description: "The safety copy is being deleted." },
    DELETED: { description: "The safety copy was deleted." },
  },
});

@ObjectType({ simpleResolvers: true, description: "The move of a guest from one host to another." })
export class Migration {
  @Field(() => Int, { description: "Id." })
  readonly id!: number;

  @Field(() => Int, { nullable: true, description: "Id of the job that carries it out." })
  readonly jobId!: number | null;

  @Field(() => String, { description: "Name of the guest." })
  readonly guestName!: string;

  @Field(() => GuestType, { description: "Virtual machine or container." })
  readonly guestType!: GuestType;

  @Field(() => Int, { description: "VMID on the source." })
  readonly vmid!: number;

  @Field(() => Int, { description: "VMID on the target." })
  readonly targetVmid!: number;

  @Field(() => Int, { description: "Id of the source host." })
  readonly sourceHostId!: number;

  @Field(() => String, { description: "Name of the source node." })
  readonly sourceNode!: string;

  @Field(() => Int, { description: "Id of the target host." })
  readonly targetHostId!: number;

  @Field(() => String, { description: "Name of the target node." })
  readonly targetNode!: string;

  @Field(() => MigrationMode, { description: "How the guest moves." })
  readonly mode!: MigrationMode;

  @Field(() => MigrationStatus, { description: "Where it stands; running only while a worker is at it." })
  readonly status!: MigrationStatus;

  @Field(() => MigrationStep, { description: "The step that it is at, or stopped at." })
  readonly step!: MigrationStep;

  @Field(() => String, { nullable: true, description: "Why it failed." })
  readonly error!: string | null;

  @Field(() => [String], { description: "What went wrong after the transfer without failing the move." })
  readonly warnings!: readonly string[];

  @Field(() => [String], {
    description:
      "What its plan warned of when it started, each with its code in front: `POOL_LEFT_BEHIND: …`. It says nothing of how the move went.",
  })
  readonly planWarnings!: readonly string[];

  @Field(() => String, {
    nullable: true,
    description:
      "Why it stays queued, when no worker that serves moves was seen for two minutes, or work is drained; else null.",
  })
  readonly notice!: string | null;

  @RollbackField()
  readonly rollback!: Rollback | null;

  @UndoneStepsField()
  readonly undoneSteps!: readonly UndoneStep[];

  @WaitingForField()
  readonly waitingFor!: WaitingFor | null;

  @Field(() => DateTime, { nullable: true, description: "When a worker first took it." })
  readonly startedAt!: string | null;

  @Field(() => DateTime, { nullable: true, description: "When it was done or failed." })
  readonly finishedAt!: string | null;

  @Field(() => Int, { nullable: true, description: "How long it took, or has taken so far." })
  readonly durationSeconds!: number | null;

  @Field(() => SafeInt, { nullable: true, description: "Bytes to copy." })
  readonly bytesTotal!: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description:
      "Bytes copied, as the platform says: never more than `bytesTotal`, and that once the guest is on the target. Null when not known.",
  })
  readonly bytesCopied!: number | null;

  @Field(() => SafeInt, { nullable: true, description: "Average speed over the whole move." })
  readonly averageBytesPerSecond!: number | null;

  @Field(() => Float, { nullable: true, description: "Work done, fraction 0..1; null when not known." })
  readonly progress!: number | null;

  @Field(() => Boolean, { description: "Whether the guest is on the target: nothing is copied again from here on." })
  readonly transferDone!: boolean;

  @Field(() => Boolean, {
    description:
      "Whether it can be started again: it failed or ended with warnings, and the guest was not moved since.",
  })
  readonly retryable!: boolean;

  @Field(() => SafetyCopyState, { description: "What became of the original." })
  readonly safetyCopy!: SafetyCopyState;

  @Field(() => DateTime, { nullable: true, description: "When the original will be deleted." })
  readonly safetyCopyDeleteAt!: string | null;

  @Field(() => [String], { description: "The platform's log of the transfer, without its figures." })
  readonly log!: readonly string[];

  @Field(() => Int, { nullable: true, description: "Id of the evacuation that it belongs to." })
  readonly evacuationId!: number | null;

  @Field(() => Int, { nullable: true, description: "Id of the balance run that it belongs to." })
  readonly balanceRunId!: number | null;
}

export const MigrationPage = pageType(() => Migration, "MigrationPage");

@InputType({ description: "Which migrations to list; what is left out does not restrict." })
export class MigrationFilter {
  @Field(() => [Int], { nullable: true, description: "Only migrations with these ids." })
  readonly ids?: number[] | null;

  @Field(() => MigrationStatus, { nullable: true, description: "Only migrations of this status." })
  readonly status?: MigrationStatus | null;

  @Field(() => [Int], { nullable: true, description: "Only from or to these hosts." })
  readonly hostIds?: number[] | null;

  @Field(() => String, { nullable: true, description: "Only from or to this node." })
  readonly node?: string | null;
}
