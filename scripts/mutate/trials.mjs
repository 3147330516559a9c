// Says how a mutant is tried: with which specs, in which process, and for how long.
import { coverageOf } from "./coverage.mjs";
import { isPure, pureSpecs, specsNamed, specsThatRun } from "./specs.mjs";

const SHORTEST_TIMEOUT_MS = 10_000;
const LONGEST_TIMEOUT_MS = 600_000;
/** Slower than without a mutant by so much is no answer any more; the machine may be busy. */
const PATIENCE = 8;

/**
 * @typedef {object} Trial
 * @property {import("./runner.mjs").WarmRunner | import("./runner.mjs").ColdRunner} runner
 * @property {string[]} specs
 * @property {number} timeoutMs
 */

/**
 * @param {{ dist: string, coverageFile: string, named?: string[], mostSeconds: number, warm: object, cold: object }} options `named` specs instead of those that run the place
 * @returns {(mutant: { file: string, start: number }) => Promise<Trial>} it rejects when pure or named specs fail without a mutant
 */
export function trialsWith({ dist, coverageFile, named, mostSeconds, warm, cold }) {
  const timeouts = new Map();
  const measured = async (runner, specs) => {
    const key = specs.join(" ");
    if (!timeouts.has(key)) timeouts.set(key, timeoutOf(runner, specs));
    return { runner, specs, timeoutMs: await timeouts.get(key) };
  };
  let coverage = null;
  return async (mutant) => {
    if (named !== undefined) return measured(cold, specsNamed(dist, named));
    if (isPure(mutant.file)) return measured(warm, pureSpecs(dist, mutant.file));
    coverage ??= coverageOf(coverageFile, dist, cold);
    const { specs, seconds } = specsThatRun(await coverage, mutant, { dist, mostSeconds });
    return { runner: cold, specs, timeoutMs: patience(1_000 * seconds) };
  };
}

async function timeoutOf(runner, specs) {
  const begin = performance.now();
  const verdict = await runner.run(null, { specs, timeoutMs: LONGEST_TIMEOUT_MS });
  if (verdict !== "survived") throw new Error(`these specs fail without a mutant: ${specs.join(" ")}`);
  return patience(performance.now() - begin);
}

const patience = (milliseconds) => Math.max(SHORTEST_TIMEOUT_MS, PATIENCE * milliseconds);
