// Compares the largest frames that the guest's bridges carry with those of the bridges that its cards go to.
import type { Card } from "../inventory/card.js";
import type { MappingChoice } from "./mapping.js";

/** What a bridge carries that states nothing. */
const USUAL_MTU = 1500;

/** MTU by name of bridge. */
export type BridgeMtus = ReadonlyMap<string, number>;

/** A card of the guest, and the bridges that it leaves and goes to. */
export interface CardMove {
  /** Such as `net0`. */
  readonly card: string;
  /** What the card itself states; null: nothing, or the bridge's. */
  readonly mtu: number | null;
  readonly source: string;
  readonly sourceMtu: number;
  readonly target: string;
  readonly targetMtu: number;
}

/** @returns the cards whose bridge is mapped. */
export function cardMoves(
  cards: readonly Card[],
  bridges: readonly MappingChoice[],
  { source, target }: { readonly source: BridgeMtus; readonly target: BridgeMtus },
): CardMove[] {
  return cards.flatMap(({ key, bridge, mtu }) => {
    const mapping = bridges.find((one) => one.source === bridge);
    if (mapping === undefined || mapping.target === null) return [];
    return [
      {
        card: key,
        mtu,
        source: mapping.source,
        sourceMtu: source.get(mapping.source) ?? USUAL_MTU,
        target: mapping.target,
        targetMtu: target.get(mapping.target) ?? USUAL_MTU,
      },
    ];
  });
}
