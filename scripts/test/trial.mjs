// Runs a spec file alone, in fresh processes, and decides whether it passes.
import { runMocha } from "./mocha.mjs";

/** Options that make a run of several processes; a trial has one, and nothing beside it. */
const PARALLEL = /^--(?:no-)?parallel$|^--jobs(?:=|$)/;

/**
 * @param options those of the run in which the file failed
 * @param trial `file`; `blocks`: outermost titles to which the trial is limited, null for the whole file
 * @param bounds `passes` of at most `runs` are needed; no run begins after `deadline` (of `performance.now()`)
 * @returns the runs that were made, and whether enough of them passed
 */
export async function tryAlone(options, { file, blocks = null }, { passes, runs, deadline, limitMs }) {
  const words = [...alone(options), ...limitedTo(blocks), file];
  const made = [];
  const passed = () => made.filter(({ isPassed }) => isPassed).length;
  const canPass = () => passed() + runs - made.length >= passes;
  while (passed() < passes && canPass() && performance.now() < deadline) made.push(await runMocha(words, limitMs));
  return { made, isPassed: passed() >= passes };
}

function alone(options) {
  const kept = options.filter((word, index) => !PARALLEL.test(word) && options[index - 1] !== "--jobs");
  // With its first failure a trial has failed: what hangs then costs its time-out once.
  return [...kept, "--no-parallel", "--bail"];
}

/** A suite of many files is one file to mocha: the blocks that failed in it are selected by their titles. */
function limitedTo(blocks) {
  if (blocks === null) return [];
  const titles = blocks.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return ["--grep", `^(?:${titles.join("|")})(?: |$)`];
}
