// Plans what becomes of a guest's address when it moves to another host.
import { IpPlanKind } from "../enums.js";

/** The address that the guest has from a zone of its present host. */
interface CurrentAddress {
  readonly address: string;
  readonly zoneName: string;
}

/** A zone of the target host, as far as this guest is concerned. */
export interface TargetZone {
  readonly id: number;
  readonly name: string;
  /** Whether the guest's present address is one of this zone and free there. */
  readonly canKeep: boolean;
  /** The address that the guest would get otherwise; null: the zone is full. */
  readonly nextFree: string | null;
}

/** What happens to the address, and why. */
export interface IpPlan {
  readonly kind: IpPlanKind;
  readonly currentAddress: string | null;
  readonly newAddress: string | null;
  readonly zoneId: number | null;
  readonly explanation: string;
}

/** Why there is no address for the guest on the target. */
export interface IpPlanProblem {
  readonly code: "IP_ZONE_FULL" | "IP_ZONE_MISSING";
  readonly message: string;
}

export interface IpPlanning {
  readonly plan: IpPlan;
  readonly problem: IpPlanProblem | null;
}

/**
 * @param current null for DHCP and manual addresses, which are nobody's but the guest's.
 * @param zones of the target host, by name; or the one zone that the operator chose.
 */
export function planAddress(current: CurrentAddress | null, zones: readonly TargetZone[]): IpPlanning {
  if (current === null) return { plan: UNTOUCHED, problem: null };
  const keeping = zones.find(({ canKeep }) => canKeep);
  if (keeping) return { plan: keep(current, keeping), problem: null };
  const roomy = zones.find(({ nextFree }) => nextFree !== null);
  return roomy ? { plan: reassign(current, roomy), problem: null } : noAddress(current, zones);
}

/** One guest of several that move, as far as its address is concerned. */
export interface AddressTurn {
  readonly current: CurrentAddress | null;
  /** Zones of its target, by name; or the one that the operator chose. */
  readonly zones: readonly Omit<TargetZone, "nextFree">[];
}

/**
 * Plans the addresses of guests that move one after the other: what one gets, no later one is offered.
 * @param free the lowest free addresses of each zone, at least as many as there are guests, or all
 */
export function planAddressesInTurn(
  turns: readonly AddressTurn[],
  free: ReadonlyMap<number, readonly string[]>,
): IpPlanning[] {
  const reserved = new Set<string>();
  return turns.map(({ current, zones }) => {
    const isOpen = (zoneId: number, address: string): boolean => !reserved.has(`${zoneId}/${address}`);
    const planning = planAddress(
      current,
      zones.map(({ id, name, canKeep }) => ({
        id,
        name,
        canKeep: canKeep && current !== null && isOpen(id, current.address),
        nextFree: free.get(id)?.find((address) => isOpen(id, address)) ?? null,
      })),
    );
    reserved.add(`${planning.plan.zoneId}/${planning.plan.newAddress}`);
    return planning;
  });
}

const UNTOUCHED: IpPlan = {
  kind: IpPlanKind.UNTOUCHED,
  currentAddress: null,
  newAddress: null,
  zoneId: null,
  explanation: "DHCP or manual addresses are left as they are",
};

const keep = ({ address }: CurrentAddress, zone: TargetZone): IpPlan => ({
  kind: IpPlanKind.KEEP,
  currentAddress: address,
  newAddress: address,
  zoneId: zone.id,
  explanation: `${address} is kept: it is free in zone ${zone.name} of the target`,
});

const reassign = ({ address, zoneName }: CurrentAddress, zone: TargetZone): IpPlan => ({
  kind: IpPlanKind.REASSIGN,
  currentAddress: address,
  newAddress: zone.nextFree,
  zoneId: zone.id,
  explanation: `${address} of zone ${zoneName} becomes ${zone.nextFree} of zone ${zone.name}`,
});

function noAddress({ address }: CurrentAddress, zones: readonly TargetZone[]): IpPlanning {
  const problem: IpPlanProblem =
    zones.length === 0
      ? { code: "IP_ZONE_MISSING", message: `the target has no IP zone for a guest that has ${address} of one` }
      : {
          code: "IP_ZONE_FULL",
          message: `no free address on the target in ${zones.map(({ name }) => name).join(", ")}`,
        };
  const plan = { kind: IpPlanKind.REASSIGN, currentAddress: address, newAddress: null, zoneId: null };
  return { plan: { ...plan, explanation: problem.message }, problem };
}
