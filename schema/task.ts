// The GraphQL view of a task of the platform.
import { Field, ObjectType } from "type-graphql";
import { DateTime } from "./scalars.js";

@ObjectType({ simpleResolvers: true, description: "A task of the platform, as its node reports it now." })
export class HypervisorTask {
  @Field(() => String, { description: "Id of the task on the platform." })
  readonly upid!: string;

  @Field(() => String, { description: "Name of the node that runs it." })
  readonly node!: string;

  @Field(() => String, { description: "Type on the platform, such as `qmstart`." })
  readonly type!: string;

  @Field(() => String, { nullable: true, description: "What it works on, such as a VMID." })
  readonly targetId!: string | null;

  @Field(() => String, { description: "Who started it." })
  readonly user!: string;

  @Field(() => String, { description: "`running` or `stopped`." })
  readonly status!: string;

  @Field(() => String, { nullable: true, description: "`OK`, `WARNINGS: n` or the error; null while it runs." })
  readonly exitStatus!: string | null;

  @Field(() => DateTime, { description: "When it started." })
  readonly startedAt!: Date;

  @Field(() => DateTime, { nullable: true, description: "When it ended." })
  readonly endedAt!: Date | null;

  @Field(() => [String], { description: "Lines of its log." })
  readonly log!: readonly string[];
}

@ObjectType({ simpleResolvers: true, description: "A power action that the platform has begun." })
export class PowerResult {
  @Field(() => String, { description: "Id of the platform's task." })
  readonly upid!: string;
}
