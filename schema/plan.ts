// The GraphQL view of a plan, and the input that makes or changes one.
import { Field, InputType, Int, ObjectType } from "type-graphql";
import { pageType } from "./page.js";

@ObjectType({ simpleResolvers: true, description: "A size in which guests are offered." })
export class Plan {
  @Field(() => Int, { description: "Id." })
  readonly id!: number;

  @Field(() => String, { description: "Unique name." })
  readonly name!: string;

  @Field(() => Int, { description: "CPU cores." })
  readonly cores!: number;

  @Field(() => Int, { description: "RAM, MiB." })
  readonly memoryMb!: number;

  @Field(() => Int, { description: "System disk, GiB." })
  readonly diskGb!: number;

  @Field(() => Int, { nullable: true, description: "Traffic a month, GiB; null: unlimited." })
  readonly trafficGb!: number | null;

  @Field(() => Int, { nullable: true, description: "Days that a guest runs; null: unlimited." })
  readonly runtimeDays!: number | null;

  @Field(() => Boolean, { description: "Whether new guests may use it." })
  readonly active!: boolean;
}

export const PlanPage = pageType(() => Plan, "PlanPage");

@InputType({ description: "A plan as an operator writes it." })
export class PlanInput {
  @Field(() => String, { description: "Unique name." })
  readonly name!: string;

  @Field(() => Int, { description: "CPU cores, at least 1." })
  readonly cores!: number;

  @Field(() => Int, { description: "RAM, MiB, at least 16." })
  readonly memoryMb!: number;

  @Field(() => Int, { description: "System disk, GiB, at least 1." })
  readonly diskGb!: number;

  @Field(() => Int, { nullable: true, description: "Traffic a month, GiB; null: unlimited." })
  readonly trafficGb?: number | null;

  @Field(() => Int, { nullable: true, description: "Days that a guest runs; null: unlimited." })
  readonly runtimeDays?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether new guests may use it; when left out: yes, or as it was.",
  })
  readonly active?: boolean | null;
}
