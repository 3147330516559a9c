// Compares the largest frames that the guest's bridges carry with those of the bridges that its cards go to.
import { configEntries, type GuestConfig } from "../inventory/config.js";
import { parseProperties } from "../inventory/propertyString.js";
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

/** `mtu=1` asks for the bridge's. */
const INHERITED = 1;

/** @returns the cards whose bridge is mapped. */
export function cardMoves(
  config: GuestConfig,
  bridges: readonly MappingChoice[],
  { source, target }: { readonly source: BridgeMtus; readonly target: BridgeMtus },
): CardMove[] {
  return configEntries(config, /^net\d+$/).flatMap(([card, text]) => {
    const properties = parseProperties(text, "model");
    const mapping = bridges.find((one) => one.source === properties.get("bridge"));
    if (mapping === undefined || mapping.target === null) return [];
    const stated = Number(properties.get("mtu"));
    return [
      {
        card,
        mtu: stated > INHERITED ? stated : null,
        source: mapping.source,
        sourceMtu: source.get(mapping.source) ?? USUAL_MTU,
        target: mapping.target,
        targetMtu: target.get(mapping.target) ?? USUAL_MTU,
      },
    ];
  });
}
