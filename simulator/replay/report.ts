// Words the result of a replay: one line a scene, a total, and on demand every disagreement.
import { agrees } from "./judge.js";
import type { Outcome } from "./replay.js";

/** Counts of a scene. */
interface Tally {
  exchanges: number;
  judged: number;
  agreeing: number;
  withValues: number;
}

/** The report as lines. */
export function reportLines(outcomes: readonly Outcome[], options: { verbose: boolean }): string[] {
  const scenes = [...new Set(outcomes.map(sceneOf))];
  const rows = scenes.map((scene) => row(scene, count(outcomes.filter((outcome) => sceneOf(outcome) === scene))));
  return [
    columns("scene", ["exchanges", "judged", "agree", "values too"]),
    ...rows,
    row("total", count(outcomes)),
    ...notJudged(outcomes),
    ...(options.verbose ? outcomes.flatMap(disagreements) : []),
  ];
}

function sceneOf({ exchange }: Outcome): string {
  return `${exchange.id.replace(/-\d+$/, "")} ${exchange.scene}`;
}

function count(outcomes: readonly Outcome[]): Tally {
  const verdicts = outcomes.flatMap(({ verdict }) => (verdict === null ? [] : [verdict]));
  const agreeing = verdicts.filter(agrees);
  return {
    exchanges: outcomes.length,
    judged: verdicts.length,
    agreeing: agreeing.length,
    withValues: agreeing.filter(({ values }) => values.length === 0).length,
  };
}

function row(name: string, { exchanges, judged, agreeing, withValues }: Tally): string {
  return columns(name, [exchanges, judged, agreeing, withValues]);
}

function columns(name: string, cells: (string | number)[]): string {
  return [name.padEnd(28), ...cells.map((cell) => String(cell).padStart(11))].join("");
}

function notJudged(outcomes: readonly Outcome[]): string[] {
  const left = outcomes.filter((outcome) => outcome.notJudged !== null);
  return left.map(({ exchange, notJudged: reason }) => `not judged: ${exchange.id} (${reason ?? ""})`);
}

function disagreements({ exchange, verdict }: Outcome): string[] {
  if (verdict === null) return [];
  const lines = Object.entries(verdict).flatMap(([kind, differences]: [string, string[]]) =>
    differences.map((text) => `    ${kind}: ${text}`),
  );
  const { id, scene, method, path, about } = exchange;
  return lines.length === 0 ? [] : ["", `${id} [${scene}] ${method} ${path}  (${about})`, ...lines];
}
