// The GraphQL view of a failed job's rollback.
import { Field, ObjectType } from "type-graphql";
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
