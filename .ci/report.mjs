// Prints the end of a run of .ci/run: what failed and what was flaky, the stages, the load of the machine, and the number of tests.
// Usage: node .ci/report.mjs FOLDER STATUS, where FOLDER has what .ci/run has written.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const MOST_SHOWN = 10;
const [folder, status] = process.argv.slice(2);
const linesOf = (name) => {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean) : [];
};
const print = (line) => process.stdout.write(`${line}\n`);

const suites = linesOf("summary.jsonl").map((line) => JSON.parse(line));
const stages = linesOf("stages").map((line) => line.split(" "));
const sum = (name) => suites.reduce((total, suite) => total + suite[name], 0);
const broken = stages.find(([, seconds]) => seconds === undefined);

print("\n==== The run");
for (const { reason, failures, flaky } of suites) {
  if (reason !== null) print(`REJECTED: ${reason}`);
  for (const { file, title, error } of failures.slice(0, MOST_SHOWN)) {
    print(`${flaky.includes(file) ? "FLAKY " : "FAILED"} ${file}: ${title}`);
    for (const line of [error[0], error.findLast((text) => text.startsWith("at "))]) if (line) print(`       ${line}`);
  }
  if (failures.length > MOST_SHOWN) print(`and ${failures.length - MOST_SHOWN} more failures: see above`);
}
if (broken !== undefined) print(`FAILED at the stage ${broken[0]}`);
print(`Stages in seconds: ${stages.map(([name, seconds = "not ended"]) => `${name} ${seconds}`).join(", ")}`);
print(machine());
const failed = sum("failed") + (status !== "0" && sum("failed") === 0 ? 1 : 0);
print(`\n${sum("passed")} passed, ${failed} failed, ${sum("skipped")} skipped`);

/** Time that the host gave to other machines (`steal`) is the eighth figure of the first line of /proc/stat. */
function machine() {
  const [before, loadBefore] = linesOf("begin");
  const first = figures(before);
  const passed = figures(readFileSync("/proc/stat", "utf8").split("\n")[0]).map((value, index) => value - first[index]);
  const total = passed.reduce((one, other) => one + other, 0);
  const stolen = total === 0 ? 0 : (100 * passed[7]) / total;
  const loadAfter = readFileSync("/proc/loadavg", "utf8");
  return `Load ${firstWord(loadBefore)} at the begin, ${firstWord(loadAfter)} at the end; ${stolen.toFixed(1)} % of the time was stolen`;
}

function figures(line) {
  return line.trim().split(/\s+/).slice(1, 9).map(Number);
}

function firstWord(text) {
  return text.split(" ")[0];
}
