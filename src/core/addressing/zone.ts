// Checks the definition of an IP zone and says which of its addresses may be assigned, without ever listing them.
import { accepted, refused, type Checked, type Problem } from "../problem.js";
import {
  isInRange,
  parseAddress,
  parseNetwork,
  parseRange,
  type AddressRange,
  type Family,
  type Network,
} from "./address.js";

/** A zone as an operator defines it. */
export interface ZoneDefinition {
  readonly cidr: string;
  /** Only addresses from here on are assigned; default: the first of the network. */
  readonly rangeStart?: string | null;
  /** Only addresses up to here are assigned; default: the last of the network. */
  readonly rangeEnd?: string | null;
  /** Never assigned. */
  readonly gateway?: string | null;
  readonly vlan?: number | null;
  readonly nameservers?: readonly string[] | null;
  /** Never assigned: addresses, ranges `first-last` or CIDRs. */
  readonly excluded?: readonly string[] | null;
}

/** What is needed to hand out the addresses of a zone. */
export interface Zone {
  readonly family: Family;
  readonly prefixLength: number;
  /** The stretches of assignable addresses, ascending, with gaps between them. */
  readonly stretches: readonly Stretch[];
}

/** Assignable addresses from `first` to `last`, both included. */
interface Stretch {
  readonly first: bigint;
  readonly last: bigint;
}

const LARGEST_VLAN = 4094;

/** @returns the zone, or every problem of its definition by field name. */
export function readZone(definition: ZoneDefinition): Checked<Zone> {
  const network = parseNetwork(definition.cidr);
  if (network === null) return refused({ field: "cidr", message: "must be a network in CIDR notation" });
  const problems = definitionProblems(definition, network);
  if (problems.length > 0) return refused(...problems);
  const stretches = without(rangeOf(definition, network), reserved(definition, network));
  if (stretches.length === 0) return refused({ field: "cidr", message: "leaves no address to assign" });
  return accepted({ family: network.family, prefixLength: network.prefixLength, stretches });
}

/** @returns how many addresses the zone can assign. */
export const zoneSize = ({ stretches }: Zone): bigint =>
  stretches.reduce((sum, { first, last }) => sum + last - first + 1n, 0n);

function definitionProblems(definition: ZoneDefinition, network: Network): Problem[] {
  const { rangeStart, rangeEnd, gateway, vlan, nameservers, excluded } = definition;
  const { first, last } = rangeOf(definition, network);
  const startsInside = isInside(network, rangeStart);
  const endsInside = isInside(network, rangeEnd);
  return [
    ...problemsUnless("rangeStart", startsInside, "must be an address of the network"),
    ...problemsUnless("rangeEnd", endsInside, "must be an address of the network"),
    ...problemsUnless("rangeEnd", !(startsInside && endsInside) || first <= last, "must not be before rangeStart"),
    ...problemsUnless("gateway", isOfFamily(network, gateway), `must be an IPv${network.family} address`),
    ...problemsUnless("vlan", isVlan(vlan), `must be from 1 to ${LARGEST_VLAN}`),
    ...problemsUnless("nameservers", (nameservers ?? []).every(parseAddress), "must be IP addresses"),
    ...problemsUnless(
      "excluded",
      (excluded ?? []).every((text) => parseRange(text)?.family === network.family),
      `must be IPv${network.family} addresses, ranges (first-last) or CIDRs`,
    ),
  ];
}

const problemsUnless = (field: string, isGood: boolean, message: string): Problem[] =>
  isGood ? [] : [{ field, message }];

function isInside(network: Network, text: string | null | undefined): boolean {
  const address = parseAddress(text ?? "");
  return (text ?? null) === null || (address !== null && isInRange(network, address));
}

const isOfFamily = ({ family }: Network, text: string | null | undefined): boolean =>
  (text ?? null) === null || parseAddress(text ?? "")?.family === family;

const isVlan = (vlan: number | null | undefined): boolean =>
  (vlan ?? null) === null || (Number.isInteger(vlan) && Number(vlan) >= 1 && Number(vlan) <= LARGEST_VLAN);

const rangeOf = ({ rangeStart, rangeEnd }: ZoneDefinition, { family, first, last }: Network): AddressRange => ({
  family,
  first: parseAddress(rangeStart ?? "")?.value ?? first,
  last: parseAddress(rangeEnd ?? "")?.value ?? last,
});

/** What no guest may have: gateway, exclusions, and the addresses with a meaning of their own in the network. */
function reserved({ gateway, excluded }: ZoneDefinition, network: Network): AddressRange[] {
  const named = [...(excluded ?? []), ...(gateway ? [gateway] : [])].map(parseRange);
  return [...specialAddresses(network), ...named.filter((range) => range !== null)];
}

/** Network and broadcast address of IPv4, the routers' anycast address of IPv6; networks of one or two have none. */
function specialAddresses({ family, first, last }: Network): AddressRange[] {
  if (last - first < 2n) return [];
  const network = { family, first, last: first };
  return family === 4 ? [network, { family, first: last, last }] : [network];
}

/** @returns what is left of a range when others are cut out of it, ascending. */
function without({ first, last }: Stretch, cuts: readonly Stretch[]): Stretch[] {
  const left: Stretch[] = [];
  let from = first;
  for (const cut of cuts.toSorted((one, other) => (one.first < other.first ? -1 : 1))) {
    if (cut.last < from || cut.first > last) continue;
    if (cut.first > from) left.push({ first: from, last: cut.first - 1n });
    from = cut.last + 1n;
  }
  if (from <= last) left.push({ first: from, last });
  return left;
}
