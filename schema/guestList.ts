// Which guests to list, and in which order.
import { Field, InputType, Int } from "type-graphql";
import { GuestSortField, GuestStatus, GuestType, SortDirection } from "./enums.js";

@InputType({ description: "Which guests to list; what is left out does not restrict." })
export class GuestFilter {
  @Field(() => [Int], { nullable: true, description: "Only guests on these hosts." })
  readonly hostIds?: number[] | null;

  @Field(() => String, { nullable: true, description: "Only guests on nodes of this name." })
  readonly node?: string | null;

  @Field(() => GuestType, { nullable: true, description: "Only virtual machines or only containers." })
  readonly type?: GuestType | null;

  @Field(() => GuestStatus, { nullable: true, description: "Only guests of this status." })
  readonly status?: GuestStatus | null;

  @Field(() => Int, { nullable: true, description: "Only guests of this owner." })
  readonly ownerId?: number | null;

  @Field(() => String, { nullable: true, description: "Only guests with this tag." })
  readonly tag?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Only guests whose name contains this (upper and lower case alike), whose VMID or address it is, or whose owner's e-mail, login name or own id contains it.",
  })
  readonly search?: string | null;

  @Field(() => Boolean, { nullable: true, description: "Only safety copies, or none." })
  readonly safetyCopy?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: "Only templates, or none." })
  readonly template?: boolean | null;
}

@InputType({ description: "The order of a list of guests." })
export class GuestSort {
  @Field(() => GuestSortField, { description: "What to sort by." })
  readonly field!: GuestSortField;

  @Field(() => SortDirection, {
    defaultValue: SortDirection.ASC,
    description: "In which direction; ascending when left out.",
  })
  readonly direction!: SortDirection;
}
