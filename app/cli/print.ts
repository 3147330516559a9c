// Prints answers: tables for people, JSON for programs.

/** One record of an answer; null is shown as a dash. */
export type Cells = Readonly<Record<string, unknown>>;

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
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
  return (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/\s*\n\s*/g, " ");
}
