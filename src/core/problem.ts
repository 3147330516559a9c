// What core answers instead of throwing: a value, or a list of problems that name every offending field.

/** One thing wrong with an input. Field and message read as one sentence: `perPage` + `must be a positive integer`. */
export interface Problem {
  readonly field: string;
  readonly message: string;
}

/** The outcome of reading something that came from outside. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** @returns the outcome of an input that was understood. */
export const accepted = <Value>(value: Value): Checked<Value> => ({ ok: true, value });

/** @returns the outcome of an input that was refused, with everything that is wrong with it. */
export const refused = (...problems: readonly Problem[]): Checked<never> => ({ ok: false, problems });

/** @returns all problems as one line for people, every field named. */
export const describeProblems = (problems: readonly Problem[]): string =>
  problems.map(({ field, message }) => `${field} ${message}`).join("; ");

/** @returns the problems of fields that nothing was found of before: what is malformed is not looked for as well. */
export function ofFurtherFields(problems: readonly Problem[], before: readonly Problem[]): Problem[] {
  const named = new Set(before.map(({ field }) => field));
  return problems.filter(({ field }) => !named.has(field));
}
