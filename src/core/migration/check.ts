// Runs named checks on facts: each passes, warns or blocks, with a stable code and a sentence.
import { Severity } from "../enums.js";

/** One check of a plan, as GraphQL and REST v1 show it. */
export interface Check {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
}

/** A named check on facts of one kind. */
export interface CheckRule<Facts> {
  readonly code: string;
  /** What a finding means; blocking unless said otherwise. */
  readonly severity?: typeof Severity.WARNING;
  /** Said when there is no finding. */
  readonly passed: string;
  /** @returns what is wrong, or null. */
  readonly finding: (facts: Facts) => string | null;
}

/** @returns the outcome of every check, in their order. */
export function runChecks<Facts>(rules: readonly CheckRule<Facts>[], facts: Facts): Check[] {
  return rules.map(({ code, severity = Severity.BLOCKING, passed, finding }) => {
    const found = finding(facts);
    return found === null ? { code, severity: Severity.PASSED, message: passed } : { code, severity, message: found };
  });
}

/** @returns the first blocking finding, without looking further; null when nothing blocks. */
export function firstObstacle<Facts>(rules: readonly CheckRule<Facts>[], facts: Facts): Check | null {
  for (const { code, severity, finding } of rules) {
    const message = severity === undefined ? finding(facts) : null;
    if (message !== null) return { code, severity: Severity.BLOCKING, message };
  }
  return null;
}

/** @returns the checks of one severity. */
export const ofSeverity = (checks: readonly Check[], severity: Severity): Check[] =>
  checks.filter((check) => check.severity === severity);
