// The GraphQL view of an IP zone, and the input that makes one.
import { Field, InputType, Int, ObjectType } from "type-graphql";
import { pageType } from "./page.js";
import { SafeInt } from "./scalars.js";

@ObjectType({ simpleResolvers: true, description: "Addresses of one network of a host that guests are given." })
export class IpZone {
  @Field(() => Int, { description: "Id." })
  readonly id!: number;

  @Field(() => String, { description: "Reference for the creation of guests, `zone:<id>`." })
  readonly ref!: string;

  @Field(() => Int, { description: "Id of its host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name, unique on the host." })
  readonly name!: string;

  @Field(() => String, { description: "The network, such as `192.0.2.0/24`." })
  readonly cidr!: string;

  @Field(() => String, { nullable: true, description: "Gateway that guests get." })
  readonly gateway!: string | null;

  @Field(() => String, { description: "Bridge that guests are connected to." })
  readonly bridge!: string;

  @Field(() => Int, { nullable: true, description: "VLAN tag, 1 to 4094; null: none." })
  readonly vlan!: number | null;

  @Field(() => [String], { description: "Name servers that guests get." })
  readonly nameservers!: readonly string[];

  @Field(() => Int, { description: "4 or 6." })
  readonly family!: number;

  @Field(() => SafeInt, { description: "Addresses that can be given out; more than 2^53 - 1 counts as that." })
  readonly total!: number;

  @Field(() => SafeInt, { description: "Addresses in use or reserved." })
  readonly used!: number;

  @Field(() => SafeInt, { description: "Addresses that are left." })
  readonly free!: number;
}

export const IpZonePage = pageType(() => IpZone, "IpZonePage");

@InputType({ description: "An IP zone as an operator writes it." })
export class IpZoneInput {
  @Field(() => Int, { description: "Id of the host." })
  readonly hostId!: number;

  @Field(() => String, { description: "Name, unique on the host." })
  readonly name!: string;

  @Field(() => String, { description: "The network, such as `192.0.2.0/24`." })
  readonly cidr!: string;

  @Field(() => String, { nullable: true, description: "First address to give out; the network's first when left out." })
  readonly rangeStart?: string | null;

  @Field(() => String, { nullable: true, description: "Last address to give out; the network's last when left out." })
  readonly rangeEnd?: string | null;

  @Field(() => String, { nullable: true, description: "Gateway of the guests; no guest gets its address." })
  readonly gateway?: string | null;

  @Field(() => String, { description: "Bridge that guests are connected to." })
  readonly bridge!: string;

  @Field(() => Int, { nullable: true, description: "VLAN tag, 1 to 4094." })
  readonly vlan?: number | null;

  @Field(() => [String], { nullable: true, description: "Name servers that guests get." })
  readonly nameservers?: string[] | null;

  @Field(() => [String], { nullable: true, description: "Addresses and CIDRs that are never given out." })
  readonly excluded?: string[] | null;
}
