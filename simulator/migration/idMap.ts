// Reads and applies the storage and bridge maps of a migration.
import { splitList } from "../parameters/lists.js";

/** Source id → target id, a default for the others, or everything as it is. */
export interface IdMap {
  entries: ReadonlyMap<string, string>;
  default: string | null;
  identity: boolean;
}

/**
 * Reads `a:b` pairs and a bare default, or `1` for the identity (pve-common, `parse_idmap`).
 * @throws Error with the words that follow `failed to parse … map: `
 */
export function parseIdMap(text: string): IdMap {
  const entries = new Map<string, string>();
  let fallback: string | null = null;
  let identity = false;
  for (const entry of splitList(text)) {
    const [source = "", target] = entry.split(":");
    if (entry === "1") identity = true;
    else if (target !== undefined) {
      if (entries.has(source)) throw new Error(`duplicate mapping for source '${source}'`);
      entries.set(source, target);
    } else if (fallback !== null) throw new Error("default target ID can only be provided once");
    else fallback = source;
  }
  if (identity && (fallback !== null || entries.size > 0))
    throw new Error("identity mapping cannot be combined with other mappings");
  return { entries, default: fallback, identity };
}

/** Target of one id; an unlisted one without a default keeps its name. */
export function mapId(map: IdMap, id: string): string {
  return map.entries.get(id) ?? map.default ?? id;
}
