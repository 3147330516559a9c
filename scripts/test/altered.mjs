// Runs each spec file that the newest change adds or alters three times alone: no flaky test comes in.
// The newest change is what was committed in the hours before the last commit.
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { choosePlaces } from "./places.mjs";
import { described, passesOf, say, summarize } from "./report.mjs";
import { tryAlone } from "./trial.mjs";

const HOURS = 4;
const TIMES = 3;
/** No trial begins after these: of a change that alters many files, a part is tried, another part after every commit. */
const BUDGET_MS = 5 * 60_000;
const LONGEST_TRIAL_MS = 10 * 60_000;

choosePlaces();
const files = alteredSpecs();
const deadline = performance.now() + BUDGET_MS;
const tried = [];
for (const file of files) {
  if (performance.now() > deadline) break;
  say(`${file} is new or altered, and is run ${TIMES} times alone`);
  const bounds = { passes: TIMES, runs: TIMES, deadline: Infinity, limitMs: LONGEST_TRIAL_MS };
  tried.push({ file, ...(await tryAlone([], { file }, bounds)) });
}
const failed = tried.filter(({ isPassed, made }) => !isPassed && !made.every(({ isSkipped }) => isSkipped));
for (const { file, made } of failed)
  say(`FAILED  ${file}: passed alone ${passesOf(made)}\n${described(made.flatMap(({ failures }) => failures))}`);
const failures = failed.flatMap(({ made }) => made).flatMap((run) => run.failures);
const reason = failed.length === 0 ? null : `altered spec files that do not pass ${TIMES} times alone`;
summarize({ passed: 0, failed: failed.length, skipped: 0, reason, failures, flaky: [] });
say(`${tried.length} of ${files.length} spec files that the newest change alters were tried, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Compiled, in an order that differs from commit to commit. */
function alteredSpecs() {
  const head = Number(git("log", "-1", "--format=%ct"));
  const base = git("log", "-1", "--format=%H", `--before=${head - HOURS * 3600}`);
  // A history that begins with the newest change has no earlier state.
  if (base === "") return [];
  const paths = git("diff", "--name-only", "--diff-filter=AMR", base, "HEAD", "--", "test/*.test.ts").split("\n");
  const commit = git("rev-parse", "HEAD");
  const place = (path) =>
    createHash("sha256")
      .update(commit + path)
      .digest("hex");
  const sorted = paths.filter(Boolean).toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
  return sorted.map((path) => `dist/${path.replace(/\.ts$/, ".js")}`);
}

function git(...words) {
  return execFileSync("git", words, { encoding: "utf8" }).trim();
}
