// The GraphQL view of what becomes of a guest's address when it moves to another host.
import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { IpPlanKind } from "../src/core/enums.js";

registerEnumType(IpPlanKind, {
  name: "IpPlanKind",
  description: "What happens to a guest's address when it moves to another host.",
  valuesConfig: {
    KEEP: { description: "The guest keeps its address, which a zone of the target has too." },
    REASSIGN: { description: "It gets the next free address of a zone of the target." },
    UNTOUCHED: { description: "It has no address from an IP zone: its configuration stays as it is." },
  },
});

@ObjectType("IpPlan", { simpleResolvers: true, description: "What becomes of a guest's address when it moves." })
export class IpPlanView {
  @Field(() => IpPlanKind, { description: "Kept, replaced, or none of the service's business." })
  readonly kind!: IpPlanKind;

  @Field(() => String, { nullable: true, description: "The address from an IP zone of the present host." })
  readonly currentAddress!: string | null;

  @Field(() => String, { nullable: true, description: "The address on the target; null when there is none." })
  readonly newAddress!: string | null;

  @Field(() => Int, { nullable: true, description: "Id of the target's IP zone that the new address is from." })
  readonly zoneId!: number | null;

  @Field(() => String, { description: "Why, for people." })
  readonly explanation!: string;
}
