// Prints what a benchmark found out: a table of its contestants, and a line for each target.
import { isMet, type Result, type Standing, type Verdict } from "./frame.js";

const NAME_WIDTH = 44;
const COLUMN_WIDTH = 20;

/** The whole report as text. */
export function reportOf(title: string, { standings, verdicts, notes = [] }: Result): string {
  const columns = [...new Set(standings.flatMap(({ figures }) => Object.keys(figures)))];
  return [
    title,
    "",
    ...(standings.length > 0 ? [header(columns), ...standings.map((standing) => line(standing, columns)), ""] : []),
    ...verdicts.map(verdictLine),
    ...notes.map((note) => `  ${note}`),
    "",
  ].join("\n");
}

const header = (columns: readonly string[]): string =>
  `  ${"".padEnd(NAME_WIDTH)}${columns.map((column) => column.padStart(COLUMN_WIDTH)).join("")}`;

/** Each figure with its ratio to the first contestant's. */
function line({ name, figures, ratios }: Standing, columns: readonly string[]): string {
  const cells = columns.map((column) => {
    const figure = figures[column];
    const ratio = ratios[column];
    if (figure === undefined) return "".padStart(COLUMN_WIDTH);
    return `${short(figure)}${ratio === undefined ? "" : ` (${ratio.toFixed(2)} ×)`}`.padStart(COLUMN_WIDTH);
  });
  return `  ${name.padEnd(NAME_WIDTH)}${cells.join("")}`;
}

/** The figure, its target, and whether that is met. */
function verdictLine(verdict: Verdict): string {
  const { says, value, unit, atLeast, atMost } = verdict;
  const target = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
  return `  ${says}: ${short(value)} ${unit}; the target is ${target} ${unit}: ${isMet(verdict) ? "met" : "missed"}`;
}

const short = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2));
