// The checks of the rights on the target: of its connection, and of the temporary token that the source gets.
import { Severity } from "../enums.js";
import type { MoveCheck } from "./moveFacts.js";

const rightsMissing: MoveCheck = {
  code: "TARGET_PRIVILEGES_MISSING",
  passed: "the target's connection has the rights that the move uses",
  finding: ({ target: { rights } }) =>
    rights.missing === null
      ? null
      : `the connection of host ${rights.host} lacks ${rights.missing}: the target would refuse the move`,
};

const tokenNotLimited: MoveCheck = {
  code: "TARGET_TOKEN_NOT_LIMITED",
  passed: "the temporary token can be limited to the move, or its host allows unrestricted ones",
  finding: ({ target: { rights } }) =>
    rights.missingToLimit === null || rights.unrestrictedAllowed
      ? null
      : `the connection of host ${rights.host} lacks ${rights.missingToLimit}: the source would get a token ` +
        "with all rights of the connection's user, which the host does not allow",
};

const MINUTE_MS = 60_000;

/** So long a refusal stands for what the target would say now: what decides it, its connection cannot read. */
const REFUSAL_HOLDS_MS = 10 * MINUTE_MS;

const tokenRefused: MoveCheck = {
  code: "TARGET_TOKEN_REFUSED",
  passed: "the target has refused no temporary token in the last ten minutes",
  finding({ now, target: { rights } }) {
    if (rights.tokenRefusal === null) return null;
    const ageMs = now - rights.tokenRefusal.at;
    // One that is as far ahead is of a clock that was set back since.
    if (Math.abs(ageMs) >= REFUSAL_HOLDS_MS) return null;
    return (
      `host ${rights.host} refused the temporary token of a move ${ago(ageMs)}: ${rights.tokenRefusal.words}; ` +
      "sync the host once it permits one"
    );
  },
};

function ago(ageMs: number): string {
  const minutes = Math.floor(ageMs / MINUTE_MS);
  if (minutes < 1) return "less than a minute ago";
  return minutes === 1 ? "1 minute ago" : `${minutes} minutes ago`;
}

const tokenUnrestricted: MoveCheck = {
  code: "TARGET_TOKEN_UNRESTRICTED",
  severity: Severity.WARNING,
  passed: "the source gets no token with all rights of the target's connection",
  finding: ({ source, target: { rights } }) =>
    rights.missingToLimit === null || !rights.unrestrictedAllowed
      ? null
      : `while the guest moves, ${source.node} has all rights of the connection of host ${rights.host}, which lacks ` +
        `${rights.missingToLimit} to limit them`,
};

const tokenModifies: MoveCheck = {
  code: "TARGET_TOKEN_MODIFIES",
  severity: Severity.WARNING,
  passed: "the source gets no right to change the target's system",
  finding: ({ source, target: { rights } }) =>
    rights.modification === null
      ? null
      : `the guest ${rights.modification.reason}: while it moves, ${source.node} has ${rights.modification.right} of host ${rights.host}`,
};

const tagsRefused: MoveCheck = {
  code: "TAGS_MAY_BE_REFUSED",
  severity: Severity.WARNING,
  passed: "the guest has no tags, or the target's connection may set registered ones",
  finding: ({ target: { node, rights } }) =>
    rights.missingForTags === null
      ? null
      : `the connection to ${node} lacks ${rights.missingForTags}: it refuses the guest if one of its tags is registered there`,
};

/** Every check of rights on the target. */
export const RIGHTS_CHECKS: readonly MoveCheck[] = [
  rightsMissing,
  tokenNotLimited,
  tokenRefused,
  tokenUnrestricted,
  tokenModifies,
  tagsRefused,
];
