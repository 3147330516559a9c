// Changes of IP zones.
import type { GraphQLResolveInfo } from "graphql";
import { Arg, Ctx, Info, Int, Mutation, Resolver } from "type-graphql";
import { createIpZone, deleteIpZone } from "../src/actions/catalogue/ipZone.js";
import type { Context } from "../src/context/context.js";
import { ipZones } from "../src/reads/models/ipZone.js";
import type { ReadRow } from "../src/reads/engine/read.js";
import { IpZone, IpZoneInput } from "../schema/ipZone.js";
import { selectOne } from "./selectOne.js";

@Resolver(() => IpZone)
export class IpZoneMutations {
  @Mutation(() => IpZone, {
    description:
      "Makes an IP zone. Needs `hosts.manage`. Refused with `VALIDATION_FAILED`, also if it overlaps another zone of the same bridge and VLAN.",
  })
  async createIpZone(
    @Arg("input", () => IpZoneInput, { description: "The zone." }) input: IpZoneInput,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<ReadRow> {
    const id = await createIpZone(context, input);
    return selectOne(context, info, { model: ipZones, id });
  }

  @Mutation(() => Boolean, {
    description:
      "Deletes an IP zone. Needs `hosts.manage`. Refused with `CONFLICT` (`IP_ZONE_IN_USE`) while guests have addresses of it.",
  })
  async deleteIpZone(
    @Arg("id", () => Int, { description: "Id of the zone." }) id: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteIpZone(context, id);
    return true;
  }
}
