// Decides which hosts a caller may see: a list of host ids, or all of them.

/** The host ids that a caller sees, ascending and each once; null means every host, also those that come later. */
export type Scope = readonly number[] | null;

/** The scope of a caller who sees every host. */
export const EVERY_HOST: Scope = null;

/** @returns the scope of a list of host ids as a token stores it; an empty list means every host. */
export function scopeOf(hostIds: readonly number[] | null | undefined): Scope {
  if (!hostIds || hostIds.length === 0) return EVERY_HOST;
  return [...new Set(hostIds)].toSorted((left, right) => left - right);
}

/** @returns whether the caller sees the host. */
export const isInScope = (scope: Scope, hostId: number): boolean => scope === null || scope.includes(hostId);

/** @returns whether everything in `inner` is also in `outer`. */
export const isWithinScope = (outer: Scope, inner: Scope): boolean =>
  outer === null || (inner !== null && inner.every((hostId) => outer.includes(hostId)));
