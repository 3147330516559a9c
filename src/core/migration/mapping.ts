// Maps the storages and bridges that a guest uses to ones of the target node.

/** One storage or bridge of the guest, and where it goes. */
export interface MappingChoice {
  readonly source: string;
  /** Null while nothing is chosen: the move cannot start. */
  readonly target: string | null;
  /** What can be chosen on the target. */
  readonly options: readonly string[];
  /** Whether the service chose, not the operator. */
  readonly preselected: boolean;
}

/** How to choose the target of one source. */
export interface Choosing {
  readonly options: readonly string[];
  /** The operator's choices, target by source. */
  readonly chosen: ReadonlyMap<string, string>;
  /** What a name without an equal takes when nobody can be asked; null leaves it open. */
  readonly fallback: string | null;
}

/** @returns the mapping of each source: the operator's choice, else the equal name, else the fallback. */
export function mapSources(sources: readonly string[], choosing: Choosing): MappingChoice[] {
  return [...new Set(sources)].map((source) => mapSource(source, choosing));
}

function mapSource(source: string, { options, chosen, fallback }: Choosing): MappingChoice {
  const choice = chosen.get(source);
  if (choice !== undefined) {
    return { source, target: options.includes(choice) ? choice : null, options, preselected: false };
  }
  const target = options.includes(source) ? source : fallback;
  return { source, target, options, preselected: target !== null };
}

/** @returns which sources have no target yet; null when each has one. */
export function describeUnmapped(choices: readonly MappingChoice[]): string | null {
  const open = choices.filter(({ target }) => target === null).map(({ source }) => source);
  return open.length === 0 ? null : `nothing of the target is chosen for ${open.join(", ")}`;
}

/** A storage of the target node that may hold the guest's disks. */
export interface TargetStorage {
  readonly name: string;
  /** Null: not known. */
  readonly freeBytes: number | null;
}

/** @returns the storage that an unlike name takes in evacuations and balance runs: the roomiest, then by name. */
export function fallbackStorage(storages: readonly TargetStorage[]): string | null {
  const known = storages.flatMap(({ name, freeBytes }) => (freeBytes === null ? [] : { name, freeBytes }));
  const [roomiest] = known.toSorted(
    (left, right) => right.freeBytes - left.freeBytes || (left.name < right.name ? -1 : 1),
  );
  return roomiest?.name ?? null;
}

/** @returns the bridge that an unlike name takes in runs: the one of the guest's new IP zone, else the only one. */
export function fallbackBridge(bridges: readonly string[], zoneBridge: string | null): string | null {
  if (zoneBridge !== null && bridges.includes(zoneBridge)) return zoneBridge;
  return bridges.length === 1 ? (bridges[0] ?? null) : null;
}

/** What a target storage lacks for all the disks that are mapped to it. */
export interface Shortfall {
  readonly storage: string;
  readonly neededBytes: number;
  /** Null: not known, so that nothing shows that it suffices. */
  readonly freeBytes: number | null;
}

/** @returns what each target storage has to take in bytes. @param needed bytes by source storage. */
export function bytesByTarget(
  mapping: readonly MappingChoice[],
  needed: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  for (const { source, target } of mapping) {
    if (target !== null) bytes.set(target, (bytes.get(target) ?? 0) + (needed.get(source) ?? 0));
  }
  return bytes;
}

/** @returns the target storages with too little room. @param needed bytes by target storage. */
export function storageShortfalls(
  needed: ReadonlyMap<string, number>,
  storages: readonly TargetStorage[],
): Shortfall[] {
  return storages.flatMap(({ name, freeBytes }) => {
    const neededBytes = needed.get(name) ?? 0;
    const isShort = freeBytes === null ? neededBytes > 0 : neededBytes > freeBytes;
    return isShort ? [{ storage: name, neededBytes, freeBytes }] : [];
  });
}
