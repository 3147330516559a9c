// Decides whether one API token reaches beyond another: nobody gets more through a token than its maker's own token has.
import type { Problem } from "../problem.js";
import { isWithinSources, type AllowedSources } from "./allowedIps.js";
import type { Permission } from "./permissions.js";
import { isRateLimited } from "./rateWindow.js";
import { isWithinScope, type Scope } from "./scope.js";

/** All that a token may be used for, from where, how often and until when. */
export interface TokenReach {
  readonly scope: Scope;
  readonly permissions: readonly Permission[];
  readonly allowedSources: AllowedSources;
  /** Requests a minute; null or 0: no limit. */
  readonly rateLimit: number | null;
  /** Null: never. */
  readonly expiresAt: Date | null;
}

/** @returns a problem for each field in which `wanted` reaches beyond `own`, by the names of `ApiTokenInput` */
export function reachProblems(own: TokenReach, wanted: TokenReach): Problem[] {
  const lacking = wanted.permissions.filter((permission) => !own.permissions.includes(permission));
  const rules: readonly (readonly [field: string, isWithin: boolean, message: string])[] = [
    ["connectionScope", isWithinScope(own.scope, wanted.scope), "must be hosts of the making token's scope"],
    ["permissions", lacking.length === 0, `must be had by the making token: ${lacking.join(", ")}`],
    [
      "allowedIps",
      isWithinSources(own.allowedSources, wanted.allowedSources),
      "must each lie in a network that the making token may be used from",
    ],
    ["rateLimit", isWithinRate(own, wanted), `must be from 1 to the making token's ${own.rateLimit ?? 0}`],
    [
      "expiresAt",
      isWithinTime(own, wanted),
      `must not be after the making token's ${own.expiresAt?.toISOString() ?? ""}`,
    ],
  ];
  return rules.flatMap(([field, isWithin, message]) => (isWithin ? [] : [{ field, message }]));
}

function isWithinRate({ rateLimit: own }: TokenReach, { rateLimit: wanted }: TokenReach): boolean {
  return !isRateLimited(own) || (isRateLimited(wanted) && wanted <= own);
}

function isWithinTime({ expiresAt: own }: TokenReach, { expiresAt: wanted }: TokenReach): boolean {
  return own === null || (wanted !== null && wanted <= own);
}
