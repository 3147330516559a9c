// The GraphQL view of a failed job's rollback.
import { Field, ObjectType } from "type-graphql";
import { UndoStatus } from "./enums.js";
import { DateTime } from "./scalars.js";

@ObjectType({
  simpleResolvers: true,
  description: "The rollback of a job that has failed: what it did is undone, and it ends as failed afterwards.",
})
export class Rollback {
  @Field(() => String, {
    description: "Why it fails, as `error` will say; of a move only for those who may see both of its ends.",
  })
  readonly reason!: string;

  @Field(() => String, { nullable: true, description: "The step that failed." })
  readonly step!: string | null;

  @Field(() => DateTime, { nullable: true, description: "When it failed." })
  readonly since!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "What is being undone on the platform; null: nothing yet, or nothing has to be.",
  })
  readonly doing!: string | null;
}

/** Declares the field of the rollback: jobs and moves have it. */
export const RollbackField = (): PropertyDecorator =>
  Field(() => Rollback, {
    nullable: true,
    description: "Set while it is running although it has failed already: what it did is being undone.",
  });

@ObjectType({ simpleResolvers: true, description: "The undo of one step of a job that has failed." })
export class UndoneStep {
  @Field(() => String, { description: "The step." })
  readonly step!: string;

  @Field(() => UndoStatus, { description: "How far its undo is." })
  readonly status!: UndoStatus;

  @Field(() => String, { nullable: true, description: "What is left behind; null unless its undo has failed." })
  readonly error!: string | null;

  @Field(() => DateTime, { description: "When its undo was last begun." })
  readonly startedAt!: string;

  @Field(() => DateTime, { nullable: true, description: "When its undo ended." })
  readonly finishedAt!: string | null;
}

/** Declares the field of the steps that a rollback has come to: jobs and moves have it. */
export const UndoneStepsField = (): PropertyDecorator =>
  Field(() => [UndoneStep], {
    description:
      "The steps that its rollback has come to, in the order of the rollback: the last step first; steps that leave nothing have no undo. Of a move only for those who may see both of its ends.",
  });
