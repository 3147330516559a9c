// Says what became of tests: to whoever reads the output, and to a program that runs several suites.
import { appendFileSync } from "node:fs";

/** Names a file to which a line of JSON is added for each suite. */
const SUMMARY = process.env["DROVER_TEST_SUMMARY"];

export function say(text) {
  process.stdout.write(`\n==== ${text}\n`);
}

/** Titles, each with the first lines of its error. */
export function described(failures) {
  return failures
    .map(({ title, error }) => [`  ${title}`, ...error.map((line) => `    ${line}`)].join("\n"))
    .join("\n");
}

export function passesOf(runs) {
  return `${runs.filter(({ isPassed }) => isPassed).length} of ${runs.length} times`;
}

/** @param suite `passed`, `failed`, `skipped`: numbers of tests; `reason` of a rejection as a whole, or null; `failures`; `flaky` files */
export function summarize(suite) {
  if (SUMMARY !== undefined) appendFileSync(SUMMARY, `${JSON.stringify(suite)}\n`);
}
