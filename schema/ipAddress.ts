// The GraphQL views of a zone's addresses and of the periods in which somebody held one.
import { Field, ID, InputType, Int, ObjectType } from "type-graphql";
import { Guest } from "./guest.js";
import { pageType } from "./page.js";
import { DateTime } from "./scalars.js";
import { User } from "./user.js";

@ObjectType({ simpleResolvers: true, description: "A period in which an address of a zone was one holder's." })
export class IpAddressHolding {
  @Field(() => ID, { description: "Id." })
  readonly id!: string;

  @Field(() => Int, { description: "Id of the host, which may be gone." })
  readonly hostId!: number;

  @Field(() => Int, { description: "Id of the zone, which may be gone." })
  readonly zoneId!: number;

  @Field(() => String, { description: "Name of the zone at the time." })
  readonly zoneName!: string;

  @Field(() => String, { description: "The address." })
  readonly address!: string;

  @Field(() => Int, { nullable: true, description: "Id of the job that reserved it; null: found in use." })
  readonly jobId!: number | null;

  @Field(() => Int, { nullable: true, description: "Id of the guest; null: reserved for one that never came to be." })
  readonly guestId!: number | null;

  @Field(() => Int, { nullable: true, description: "VMID of the guest." })
  readonly vmid!: number | null;

  @Field(() => String, { nullable: true, description: "Name of the guest when the period began." })
  readonly guestName!: string | null;

  @Field(() => Guest, { nullable: true, description: "The guest as it is now; null once it is gone." })
  readonly guest!: Guest | null;

  @Field(() => Int, { nullable: true, description: "Id of the user who owned the guest; null: nobody." })
  readonly ownerId!: number | null;

  @Field(() => String, { nullable: true, description: "Login name of the owner when the period began." })
  readonly ownerName!: string | null;

  @Field(() => DateTime, { description: "When it began: with the reservation, or when the guest got another owner." })
  readonly since!: string;

  @Field(() => DateTime, { nullable: true, description: "When it ended; null: it lasts." })
  readonly until!: string | null;
}

export const IpAddressHoldingPage = pageType(() => IpAddressHolding, "IpAddressHoldingPage");

@ObjectType({ simpleResolvers: true, description: "An address of a zone that is in use or reserved." })
export class IpAddress {
  @Field(() => ID, { description: "Id." })
  readonly id!: string;

  @Field(() => Int, { description: "Id of the zone." })
  readonly zoneId!: number;

  @Field(() => String, { description: "The address." })
  readonly address!: string;

  @Field(() => DateTime, { description: "Since when it is in use or reserved." })
  readonly since!: string;

  @Field(() => Int, { nullable: true, description: "Id of the unfinished job that reserved it." })
  readonly jobId!: number | null;

  @Field(() => Guest, { nullable: true, description: "The guest that has it; null while it is only reserved." })
  readonly guest!: Guest | null;

  @Field(() => User, { nullable: true, description: "Who owns the guest." })
  readonly owner!: User | null;

  @Field(() => [IpAddressHolding], { description: "Who has and had it, newest first; a page of it." })
  readonly history!: readonly IpAddressHolding[];
}

export const IpAddressPage = pageType(() => IpAddress, "IpAddressPage");

@InputType({ description: "Which periods to list; what is left out does not restrict." })
export class IpAddressHoldingFilter {
  @Field(() => [Int], { nullable: true, description: "Only of these hosts." })
  readonly hostIds?: number[] | null;

  @Field(() => Int, { nullable: true, description: "Only of this zone." })
  readonly zoneId?: number | null;

  @Field(() => String, { nullable: true, description: "Only of this address, in any spelling." })
  readonly address?: string | null;

  @Field(() => Int, { nullable: true, description: "Only of this guest." })
  readonly guestId?: number | null;

  @Field(() => Int, { nullable: true, description: "Only of guests of this user." })
  readonly ownerId?: number | null;

  @Field(() => DateTime, { nullable: true, description: "Only those that this moment lies in." })
  readonly at?: Date | null;
}
