// Takes the address that a guest is to have on the target of its move.
import type { PoolClient } from "pg";
import type { IpPlan } from "../core/addressing/ipPlan.js";
import { IpPlanKind } from "../core/enums.js";
import { DroverError } from "../errors/errors.js";
import * as addresses from "../store/address.js";
import * as ipZones from "../store/ipZone.js";
import { takeAddress, type AddressZone } from "../placement/takeAddress.js";

/**
 * The next free address may be another than the plan showed, when somebody else took that one meanwhile.
 * @returns the plan with the address that was taken
 * @throws DroverError conflict `ADDRESS_TAKEN` when the guest was to keep its address, `IP_ZONE_FULL`, `IP_ZONE_MISSING`
 */
export async function takePlannedAddress(client: PoolClient, plan: IpPlan, jobId: number): Promise<IpPlan> {
  if (plan.kind === IpPlanKind.UNTOUCHED || plan.zoneId === null) return plan;
  if (plan.kind === IpPlanKind.REASSIGN) {
    const { address } = await takeAddress(client, await zoneOf(client, plan.zoneId), jobId);
    return { ...plan, newAddress: address };
  }
  const { zoneId, newAddress: address } = plan;
  if (address !== null && (await addresses.takeForJob(client, { zoneId, address, jobId }))) return plan;
  throw addressTaken(plan);
}

export const addressTaken = ({ newAddress }: IpPlan): DroverError =>
  new DroverError("conflict", `${newAddress} is taken on the target by now, or its zone was deleted`, {
    reason: "ADDRESS_TAKEN",
  });

async function zoneOf(client: PoolClient, id: number): Promise<AddressZone> {
  const zone = await ipZones.find(client, id);
  if (zone !== null) return zone;
  throw new DroverError("conflict", "the IP zone was deleted meanwhile", { reason: "IP_ZONE_MISSING" });
}
