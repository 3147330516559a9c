// The GraphQL view of jobs, and of what a request that queues one answers.
import { Field, Float, InputType, Int, ObjectType } from "type-graphql";
import { JobKind, JobStatus } from "./enums.js";
import { pageType } from "./page.js";
import { PlacementChoice } from "./placement.js";
import { DateTime } from "./scalars.js";
import { RollbackField, UndoneStepsField, type Rollback, type UndoneStep } from "./rollback.js";
import { WaitingForField, type WaitingFor } from "./waitingFor.js";

@ObjectType({ simpleResolvers: true, description: "Long work that a worker does." })
export class Job {
  @Field(() => Int, { description: "Id." })
  readonly id!: number;

  @Field(() => JobKind, { description: "What it does." })
  readonly kind!: JobKind;

  @Field(() => JobStatus, { description: "How far it is." })
  readonly status!: JobStatus;

  @Field(() => String, {
    nullable: true,
    description: "The reason, when it failed; of a move only for those who may see both of its ends.",
  })
  readonly error!: string | null;

  @Field(() => [String], {
    description:
      "What its steps warn of, in their order, without failing. Of a move only for those who may see both of its ends.",
  })
  readonly warnings!: readonly string[];

  @Field(() => Int, { nullable: true, description: "Id of the host that it works on." })
  readonly hostId!: number | null;

  @Field(() => String, { nullable: true, description: "Name of the node that it works on." })
  readonly node!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "VMID of its guest. One that the service chose gives way to the next if the host refuses it.",
  })
  readonly vmid!: number | null;

  @Field(() => Float, { nullable: true, description: "Work done, fraction 0..1; null when not known." })
  readonly progress!: number | null;

  @Field(() => String, { nullable: true, description: "The step that it is at." })
  readonly step!: string | null;

  @Field(() => Boolean, {
    description:
      "Whether it failed because this version cannot read what it has stored: nothing was done, it keeps what it holds, and waits for `retryJob` or `giveUpJob`.",
  })
  readonly parked!: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      "Why it stays queued, when no worker that serves its queue was seen for two minutes, or work is drained; else null.",
  })
  readonly notice!: string | null;

  @RollbackField()
  readonly rollback!: Rollback | null;

  @UndoneStepsField()
  readonly undoneSteps!: readonly UndoneStep[];

  @WaitingForField()
  readonly waitingFor!: WaitingFor | null;

  @Field(() => DateTime, { description: "When it was queued." })
  readonly createdAt!: string;

  @Field(() => DateTime, { nullable: true, description: "When a worker first took it." })
  readonly startedAt!: string | null;

  @Field(() => DateTime, { nullable: true, description: "When it was done or failed." })
  readonly finishedAt!: string | null;

  @Field(() => [String], { description: "Platform tasks that it started, oldest first." })
  readonly upids!: readonly string[];
}

export const JobPage = pageType(() => Job, "JobPage");

@InputType({ description: "Which jobs to list; what is left out does not restrict." })
export class JobFilter {
  @Field(() => [Int], { nullable: true, description: "Only jobs with these ids." })
  readonly ids?: number[] | null;

  @Field(() => JobStatus, { nullable: true, description: "Only jobs of this status." })
  readonly status?: JobStatus | null;

  @Field(() => JobKind, { nullable: true, description: "Only jobs of this kind." })
  readonly kind?: JobKind | null;

  @Field(() => [Int], { nullable: true, description: "Only jobs on these hosts." })
  readonly hostIds?: number[] | null;

  @Field(() => Int, { nullable: true, description: "Only jobs of guests with this VMID." })
  readonly vmid?: number | null;
}

@ObjectType("QueuedGuest", { simpleResolvers: true, description: "A guest whose creation was queued." })
export class QueuedGuestView {
  @Field(() => Boolean, { description: "Always true." })
  readonly queued!: boolean;

  @Field(() => Int, { description: "Id of the job." })
  readonly jobId!: number;

  @Field(() => Int, {
    description:
      "VMID that is reserved for the guest. One that was not asked for gives way to the next if the host refuses it: the job names it then.",
  })
  readonly vmid!: number;

  @Field(() => PlacementChoice, { description: "Where the guest goes." })
  readonly placement!: PlacementChoice;
}

@ObjectType("QueuedJob", { simpleResolvers: true, description: "A job that was queued." })
export class QueuedJobView {
  @Field(() => Boolean, { description: "Always true." })
  readonly queued!: boolean;

  @Field(() => Int, { description: "Id of the job." })
  readonly jobId!: number;

  @Field(() => Int, { nullable: true, description: "VMID of its guest." })
  readonly vmid!: number | null;
}
