// Asks the registry for known vulnerabilities of all packages, those that only build the service included: they could put anything into it.
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { readArguments } from "./supply/arguments.mjs";
import { ADVISORY_EXCEPTIONS, isExcepted } from "./supply/exceptions.mjs";

/** Exit codes. */
const CLEAN = 0;
const VULNERABLE = 1;
const UNANSWERED = 2;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { today } = readArguments();
const { stdout, error } = spawnSync("npm", ["audit", "--json"], { cwd: root, encoding: "utf8" });
if (error !== undefined) throw error;
process.exitCode = tell(JSON.parse(stdout));

function tell({ vulnerabilities, message }) {
  if (vulnerabilities === undefined) {
    process.stdout.write(`The registry did not answer: ${message}\n`);
    return UNANSWERED;
  }
  const found = advisoriesIn(vulnerabilities).filter(({ id }) => !isExcepted(ADVISORY_EXCEPTIONS, id, today));
  for (const { id, name, range, severity, title } of found)
    process.stdout.write(`${id} ${severity}: ${name} ${range}: ${title}\n`);
  process.stdout.write(`${found.length} advisories without an exception that holds on ${today}\n`);
  return found.length === 0 ? CLEAN : VULNERABLE;
}

/** What npm tells of a package that needs a vulnerable one is left out: it is the same advisory. */
function advisoriesIn(vulnerabilities) {
  const causes = Object.values(vulnerabilities).flatMap(({ via }) => via.filter((cause) => typeof cause === "object"));
  const advisories = causes.map((cause) => ({ ...cause, id: cause.url.replace(/^.*\//, "") }));
  return [...new Map(advisories.map((advisory) => [advisory.id, advisory])).values()];
}
