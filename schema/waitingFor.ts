// The GraphQL view of what a job waits for.
import { Field, Int, ObjectType } from "type-graphql";
import { DateTime } from "./scalars.js";

@ObjectType({
  simpleResolvers: true,
  description:
    "Why a job that is running does not go on for the moment: something is tried again, such as a host that does not answer, or a node's agent has not answered yet. A run has none of its own: see the move of the guest whose turn it is.",
})
export class WaitingFor {
  @Field(() => Int, { nullable: true, description: "Id of the host that does not answer; null: something else." })
  readonly hostId!: number | null;

  @Field(() => String, { description: "What hinders it, in words: the host by its name, what is wrong." })
  readonly reason!: string;

  @Field(() => DateTime, { description: "Since when it waits." })
  readonly since!: string;

  @Field(() => DateTime, {
    description:
      "When it tries again, or last did: a try that gets no answer takes seconds. Of an agent: until when its answer is waited for.",
  })
  readonly triesAgainAt!: string;
}

/** Declares the field of what is waited for: jobs and moves have it. */
export const WaitingForField = (): PropertyDecorator =>
  Field(() => WaitingFor, {
    nullable: true,
    description:
      "Set while it is running and waits to try something again, such as a host that does not answer, or for a node's agent.",
  });
