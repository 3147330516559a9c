// The GraphQL view of how far it is that a failed job is taken back.
import { Field, ObjectType } from "type-graphql";
import { DateTime } from "./scalars.js";

@ObjectType({
  simpleResolvers: true,
  description: "That a job has failed, and that what it did is being taken back; it ends as failed afterwards.",
})
export class TakingBack {
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
    description: "What is being done on the platform to take it back; null: nothing yet, or nothing has to be.",
  })
  readonly doing!: string | null;
}

/** Declares the field of what is taken back: jobs and moves have it. */
export const TakingBackField = (): PropertyDecorator =>
  Field(() => TakingBack, {
    nullable: true,
    description: "Set while it is running although it has failed already: what it did is being taken back.",
  });
