// Runs the tests. What fails while other work goes on beside it is run again alone, so that a noisy machine rejects nothing good:
// it has to pass twice in at most three runs, and is named as flaky even then.
//
// Usage: node scripts/test.mjs [--most-files N] [mocha's options] [-- spec files]
import { globSync } from "node:fs";
import { join } from "node:path";
import { keep } from "./test/flaky.mjs";
import { runMocha } from "./test/mocha.mjs";
import { choosePlaces } from "./test/places.mjs";
import { described, passesOf, say, summarize } from "./test/report.mjs";
import { tryAlone } from "./test/trial.mjs";

/** Begun first: none of them is left to run alone at the end. */
const LONGEST = [
  "upgrade/upgrade",
  "jobs/migration/crash",
  "demo/demo",
  "app/service/moves",
  "app/service/killed",
  "app/server/process",
  "jobs/migration/breakage",
  "jobs/queue/schedule",
].map((name) => join("dist", "test", `${name}.test.js`));
/** Failures beyond these are no noise. */
const MOST_FILES = 4;
const MOST_FAILURES = 8;
/** So mocha calls what no test threw: a spec file that cannot be loaded, a process that ended, an error after its test. */
const OUTSIDE = "Uncaught error outside test suite";
const TRIAL = { passes: 2, runs: 3 };
/** No trial begins after these. */
const TRIALS_MS = 15 * 60_000;
/** A run that takes longer waits for ever. */
const LONGEST_RUN_MS = 60 * 60_000;
const LONGEST_TRIAL_MS = 10 * 60_000;

const { mostFiles, options, specs } = read(process.argv.slice(2));
choosePlaces();
const run = await runMocha([...options, ...specs], LONGEST_RUN_MS);
const files = [...Map.groupBy(run.failures, ({ file }) => file)];
const reason = run.isPassed ? null : rejection();
const verdicts = run.isPassed || reason !== null ? [] : await tryAll();
report();

function read(words) {
  const [own, rest] = words[0] === "--most-files" ? [Number(words[1]), words.slice(2)] : [MOST_FILES, words];
  const at = rest.indexOf("--");
  if (at < 0) return { mostFiles: own, options: rest, specs: allSpecs() };
  return { mostFiles: own, options: rest.slice(0, at), specs: rest.slice(at + 1) };
}

function allSpecs() {
  const found = new Set(globSync("dist/test/**/*.test.js"));
  const lost = LONGEST.filter((file) => !found.has(file));
  if (lost.length > 0) throw new Error(`scripts/test.mjs begins with files that are gone: ${lost.join(", ")}`);
  return [...new Set([...LONGEST, ...[...found].toSorted()])];
}

/** @returns why the run is rejected at once; null: its failures may be noise */
function rejection() {
  if (!run.isWhole) return "the run broke off before its end";
  if (run.counts.passes + run.failures.length === 0) return "nothing was run";
  if (files.length === 0 || run.failures.some(({ file, title }) => file === "" || title === OUTSIDE))
    return "something failed that is no test";
  if (files.length > mostFiles) return `${files.length} spec files failed, and more than ${mostFiles} are no noise`;
  if (run.failures.length > MOST_FAILURES)
    return `${run.failures.length} tests failed, and more than ${MOST_FAILURES} are no noise`;
  return null;
}

async function tryAll() {
  const deadline = performance.now() + TRIALS_MS;
  const tried = [];
  for (const [file, failures] of files) {
    say(`${file} failed among others, and is run alone:\n${described(failures)}`);
    const trial = { file, blocks: blocksOf(file, failures) };
    const { made, isPassed } = await tryAlone(options, trial, { ...TRIAL, deadline, limitMs: LONGEST_TRIAL_MS });
    tried.push({ file, failures, made, isFlaky: isPassed });
  }
  return tried;
}

/** A suite gathers many files. A failure outside every block, of a hook of the whole suite, concerns all of them. */
function blocksOf(file, failures) {
  const blocks = failures.map(({ block }) => block);
  return file.endsWith(".suite.js") && !blocks.includes(null) ? [...new Set(blocks)] : null;
}

function report() {
  const flaky = verdicts.filter(({ isFlaky }) => isFlaky);
  const flakyTests = flaky.flatMap(({ failures }) => failures).length;
  for (const { file, failures, made } of flaky) {
    say(`FLAKY   ${file}: failed among others, and passed alone ${passesOf(made)}\n${described(failures)}`);
    const times = keep(file, failures);
    if (times > 1)
      process.stdout.write(`  It is in .tests/flaky.jsonl for the ${times}th time: a fault to be mended.\n`);
  }
  for (const { file, failures, made } of verdicts.filter(({ isFlaky }) => !isFlaky))
    say(`FAILED  ${file}: failed among others, and passed alone ${passesOf(made)}\n${described(failures)}`);
  if (reason !== null) say(`FAILED  ${reason}\n${described(run.failures)}`);
  const failed = Math.max(run.failures.length - flakyTests, reason === null ? 0 : 1);
  const counts = { passed: run.counts.passes + flakyTests, failed, skipped: run.counts.pending };
  summarize({ ...counts, reason, failures: run.failures, flaky: flaky.map(({ file }) => file) });
  say(`${run.seconds} s\n\n${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped`);
  process.exitCode = failed === 0 ? 0 : 1;
}
