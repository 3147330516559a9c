// Runs named checks on facts: each passes, warns or blocks, with a stable code and a sentence. One that cannot be judged does neither.
import { Severity } from "../enums.js";

/** One check of a plan, as GraphQL and REST v1 show it. */
export interface Check {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
}

/** What is wrong; null: nothing. Undefined: what the check looks at is not known, so that it says nothing at all. */
export type Finding = string | null | undefined;

/** @returns in words what was found; what was not, or could not be, stays as it is. */
export function inWords<Found extends {}>(found: Found | null | undefined, words: (found: Found) => string): Finding {
  if (found === undefined) return undefined;
  return found === null ? null : words(found);
}

/** A named check on facts of one kind. */
export interface CheckRule<Facts> {
  readonly code: string;
  /** What a finding means; blocking unless said otherwise. */
  readonly severity?: typeof Severity.WARNING;
  /** Said when there is no finding. */
  readonly passed: string;
  readonly finding: (facts: Facts) => Finding;
}

/** @returns the outcome of every check that can be judged, in their order. */
export function runChecks<Facts>(rules: readonly CheckRule<Facts>[], facts: Facts): Check[] {
  return rules.flatMap(({ code, severity = Severity.BLOCKING, passed, finding }) => {
    const found = finding(facts);
    if (found === undefined) return [];
    return found === null ? { code, severity: Severity.PASSED, message: passed } : { code, severity, message: found };
  });
}

/** @returns the first blocking finding, without looking further; null when nothing blocks. */
export function firstObstacle<Facts>(rules: readonly CheckRule<Facts>[], facts: Facts): Check | null {
  for (const { code, severity, finding } of rules) {
    const message = severity === undefined ? finding(facts) : null;
    if (typeof message === "string") return { code, severity: Severity.BLOCKING, message };
  }
  return null;
}

/** @returns the checks of one severity. */
export const ofSeverity = (checks: readonly Check[], severity: Severity): Check[] =>
  checks.filter((check) => check.severity === severity);
