// Reads what both checks of the packages are given.
import { parseArgs } from "node:util";

/** @returns the day that exceptions are compared with, as in 2027-11-30, and what else was given */
export function readArguments() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { today: { type: "string" } } });
  return { today: values.today ?? new Date().toISOString().slice(0, 10), positionals };
}
