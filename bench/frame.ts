// What all benchmarks have in common: contestants measured in turns, medians, percentiles, verdicts, and the machine's load.
import { availableParallelism, loadavg } from "node:os";

/** Figures of one measurement by name, such as `requests/s`. */
export type Figures = Readonly<Record<string, number>>;

/** One of those that are measured side by side; the first is what the others are compared with. */
export interface Contestant {
  readonly name: string;
  /** Measures once. */
  measure(): Promise<Figures>;
}

/** How a contestant did. */
export interface Standing {
  readonly name: string;
  /** Medians over the rounds. */
  readonly figures: Figures;
  /** Medians over the rounds of its figure divided by the first contestant's of the same round; none to nothing. */
  readonly ratios: Figures;
}

/** A figure that has a target. */
export interface Verdict {
  /** What the figure is, as the beginning of a line. */
  readonly says: string;
  readonly value: number;
  readonly unit: "×" | "ms" | "MB" | "/s" | "statements" | "requests";
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** What a benchmark found out. */
export interface Result {
  readonly standings: readonly Standing[];
  readonly verdicts: readonly Verdict[];
  /** What a reader has to know about the figures. */
  readonly notes?: readonly string[];
}

/** How much is measured. */
export interface Effort {
  readonly rounds: number;
  /** Of one turn, where a turn is a time of load. */
  readonly seconds: number;
  /** Of the simulated fleet, where there is one. */
  readonly hosts: number;
}

/** What is done unless something else is asked for. */
export const USUAL_EFFORT: Effort = { rounds: 5, seconds: 2, hosts: 10 };

/** One benchmark: it makes what it needs and removes it again. */
export interface Benchmark {
  readonly name: string;
  readonly title: string;
  /** It is ended when it takes longer at the usual effort, on a busy machine too; more effort has more time. */
  readonly longestSeconds: number;
  run(effort: Effort): Promise<Result>;
}

/** Lets all take turns, so that whatever else the machine does meets them alike. One turn each before the rounds is not counted. */
export async function inTurns(contestants: readonly Contestant[], rounds: number): Promise<Standing[]> {
  const measured: Figures[][] = [];
  for (let round = -1; round < rounds; round++) {
    const figures: Figures[] = [];
    for (const contestant of contestants) figures.push(await contestant.measure());
    if (round >= 0) measured.push(figures);
  }
  return contestants.map(({ name }, index) => standing(name, index, measured));
}

function standing(name: string, index: number, rounds: readonly (readonly Figures[])[]): Standing {
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  for (const key of Object.keys(rounds[0]?.[index] ?? {})) {
    figures[key] = median(rounds.map((round) => round[index]?.[key] ?? Number.NaN));
    const toFirst = rounds.map((round) => (round[index]?.[key] ?? Number.NaN) / (round[0]?.[key] ?? Number.NaN));
    if (toFirst.every(Number.isFinite)) ratios[key] = median(toFirst);
  }
  return { name, figures, ratios };
}

/** A standing's figure. @throws Error when it was not measured */
export const figureOf = (standings: readonly Standing[], name: string, figure: string): number =>
  found(standings, name, "figures", figure);

/** A standing's figure divided by the first contestant's. @throws Error when it was not measured */
export const ratioOf = (standings: readonly Standing[], name: string, figure: string): number =>
  found(standings, name, "ratios", figure);

function found(standings: readonly Standing[], name: string, kind: "figures" | "ratios", figure: string): number {
  const value = standings.find((one) => one.name === name)?.[kind][figure];
  if (value === undefined) throw new Error(`${figure} of ${name} was not measured`);
  return value;
}

/** Whether the target is met. */
export const isMet = ({ value, atLeast, atMost }: Verdict): boolean =>
  (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);

/** The middle value, or the mean of the two in the middle; NaN of nothing. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
};

/** The value that `share` (0..1) of all are not above; NaN of nothing. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((left, right) => left - right)[Math.max(0, Math.ceil(values.length * share) - 1)] ?? Number.NaN;

/** How long `work` takes, milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** How much CPU time of this thread `work` takes, milliseconds: on a machine of one's own that is the time it takes. */
export function computed(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The machine as it is now. */
export const machine = () => ({
  cores: availableParallelism(),
  node: process.version,
  load: loadavg()[0] ?? Number.NaN,
});
