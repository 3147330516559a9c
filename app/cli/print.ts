// Prints answers: tables for people, JSON for programs.
import { terminalText } from "./terminalText.js";

/** One record of an answer; null is shown as a dash. */
export type Cells = Readonly<Record<string, unknown>>;

/** Controls that JSON leaves as they are (DEL and C1); line feeds are its layout. */
const JSON_CONTROLS = /[^\P{Cc}\n]/gu;

/** Prints lines for people; control characters are escaped. */
export function print(text: string): void {
  process.stdout.write(`${text.split("\n").map(terminalText).join("\n")}\n`);
}

export function printJson(value: unknown): void {
  const text = JSON.stringify(value, null, 2);
  const escaped = text.replaceAll(JSON_CONTROLS, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);
  process.stdout.write(`${escaped}\n`);
}

/** Prints records as JSON, or as a table whose columns are as wide as their widest cell. */
export function printRecords(records: readonly Cells[], json: boolean | undefined): void {
  if (json === true) printJson(records);
  else if (records.length === 0) print("none");
  else print(table(records));
}

function table(records: readonly Cells[]): string {
  const names = Object.keys(records[0] ?? {});
  const rows = [names, ...records.map((record) => names.map((name) => cell(record[name])))];
  const widths = names.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((value, column) => value.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => line.trimEnd())
    .join("\n");
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(cell).join(",");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return terminalText(text.replaceAll(/\s*\n\s*/g, " "));
}
