// Finds the cards whose VLANs the target's bridges do not know.
import type { Card } from "../inventory/card.js";
import type { MappingChoice } from "./mapping.js";

/** What a bridge does with VLANs. */
export interface BridgeVlans {
  readonly name: string;
  /** `bridge`: one of Linux; others know VLANs by themselves. */
  readonly type: string;
  readonly vlanAware: boolean;
}

/**
 * A Linux bridge that knows no VLANs takes a tagged card only if it has exactly one port of the network, and one with trunks never.
 * @returns cards with a tag or trunks that leave a bridge that knows VLANs for one that does not, such as `net0 to vmbr1`
 */
export function vlanCards(
  cards: readonly Card[],
  bridges: readonly MappingChoice[],
  { source, target }: { readonly source: readonly BridgeVlans[]; readonly target: readonly BridgeVlans[] },
): string[] {
  return cards.flatMap(({ key, bridge, vlan, hasTrunks }) => {
    if (vlan === null && !hasTrunks) return [];
    const mapping = bridges.find((one) => one.source === bridge);
    const from = source.find(({ name }) => name === mapping?.source);
    const to = target.find(({ name }) => name === mapping?.target);
    return from !== undefined && to !== undefined && knowsVlans(from) && !knowsVlans(to)
      ? [`${key} to ${to.name}`]
      : [];
  });
}

const knowsVlans = ({ type, vlanAware }: BridgeVlans): boolean => type !== "bridge" || vlanAware;
