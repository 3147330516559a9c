// Turns what a request carries into the variables of its document, or says everything that is wrong with it.
import type { Problem } from "../src/core/problem.js";
import type { RequestField, Variables } from "./route.js";

/** Gives the raw value that a request has under a name; undefined and null: none. */
export type RawValues = (name: string) => unknown;

/** Puts path values into `variables`. @returns false when one cannot be read: there is no such record */
export function readPath(fields: readonly RequestField[], raw: RawValues, variables: Variables): boolean {
  for (const field of fields) {
    const value = field.kind.read(raw(field.name));
    if (value === null) return false;
    assign(variables, field.variable, value);
  }
  return true;
}

/** Puts query or body values into `variables`. @returns a problem for each that is missing or cannot be read */
export function readValues(fields: readonly RequestField[], raw: RawValues, variables: Variables): Problem[] {
  const problems: Problem[] = [];
  for (const field of fields) {
    const sent = raw(field.name);
    if (sent === null && field.clearable) {
      assign(variables, field.variable, null);
      continue;
    }
    const given = sent ?? field.whenAbsent;
    const value = given === undefined ? undefined : field.kind.read(given);
    if (value === null) problems.push({ field: field.name, message: field.kind.expectation });
    else if (value !== undefined) assign(variables, field.variable, value);
    else if (field.required) problems.push({ field: field.name, message: "is required" });
  }
  return problems;
}

function assign(variables: Variables, path: string, value: unknown): void {
  const [name = path, member] = path.split(".", 2);
  if (member === undefined) variables[name] = value;
  else variables[name] = { ...asObject(variables[name]), [member]: value };
}

const asObject = (value: unknown): object => (typeof value === "object" && value !== null ? value : {});
