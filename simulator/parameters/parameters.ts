// Holds the checked parameters of one call and reads them as texts, numbers and flags.
import { parameterError } from "../api.js";
import { checkObject, perlText } from "./check.js";
import type { PropertyTable } from "./propertyTable.js";
import { propertySchema } from "./schema.js";

/** Parameters that have passed the table of their method. */
export class Parameters {
  constructor(readonly values: Readonly<Record<string, string>>) {}

  /** A parameter that the table demands. */
  text(name: string): string {
    const value = this.values[name];
    if (value === undefined) throw new Error(`parameter '${name}' is not part of the method`);
    return value;
  }

  optional(name: string): string | undefined {
    return this.values[name];
  }

  has(name: string): boolean {
    return this.values[name] !== undefined;
  }

  /** True only when given as 1. */
  flag(name: string): boolean {
    return this.values[name] === "1";
  }

  number(name: string): number | undefined {
    const value = this.values[name];
    return value === undefined ? undefined : Number(value);
  }

  /** The others, without the named ones. */
  without(...names: string[]): Record<string, string> {
    return Object.fromEntries(Object.entries(this.values).filter(([name]) => !names.includes(name)));
  }
}

/**
 * Checks raw values against a method's table.
 * @throws ApiError 400 with one text per parameter
 */
export function checkParameters(raw: Readonly<Record<string, unknown>>, table: PropertyTable): Parameters {
  const values = joinLists(raw, table);
  const complaints = checkObject({ values, table, lookup: (name) => propertySchema(table, name), path: "" });
  if (Object.keys(complaints).length > 0) throw parameterError(complaints);
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return new Parameters(Object.fromEntries(given.map(([name, value]) => [name, perlText(value)])));
}

/** JSON arrays are taken for parameters that are lists in one text. */
function joinLists(raw: Readonly<Record<string, unknown>>, table: PropertyTable): Record<string, unknown> {
  const joined = (name: string, value: unknown): unknown => {
    const format = propertySchema(table, name)?.format;
    const isList = typeof format === "string" && format.endsWith("-list");
    return Array.isArray(value) && isList ? value.map(perlText).join(",") : value;
  };
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, joined(name, value)]));
}
