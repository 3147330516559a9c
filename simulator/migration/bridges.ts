// Maps the bridges of a guest's network cards.
import type { ConfigValues } from "../state/guest.js";
import type { IdMap } from "./idMap.js";
import { mapId } from "./idMap.js";
import type { Migration } from "./migration.js";

const card = /^net\d+$/;
const bridgePart = /(^|,)bridge=([^,]+)/;

/** Bridges that the target must have. */
export function targetBridges(config: ConfigValues, map: IdMap): Set<string> {
  const names = Object.entries(config).map(([key, value]) =>
    card.test(key) ? bridgePart.exec(value)?.[2] : undefined,
  );
  return new Set(names.filter((name) => name !== undefined).map((name) => mapId(map, name)));
}

/** The configuration with every bridge replaced; each replacement is logged. */
export function mapBridges({ log, order }: Migration, config: ConfigValues): ConfigValues {
  const mapped = { ...config };
  for (const [key, value] of Object.entries(config).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const from = card.test(key) ? bridgePart.exec(value)?.[2] : undefined;
    if (from === undefined) continue;
    const to = mapId(order.bridges, from);
    mapped[key] = value.replace(bridgePart, `$1bridge=${to}`);
    log.info(`mapped: ${key} from ${from} to ${to}`);
  }
  return mapped;
}

/** The configuration with volume ids replaced by those on the target. */
export function mapVolumes(config: ConfigValues, volumes: ReadonlyMap<string, string>): ConfigValues {
  const replace = (value: string): string => {
    const [volid = "", ...options] = value.split(",");
    return [volumes.get(volid) ?? volid, ...options].join(",");
  };
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, replace(value)]));
}
