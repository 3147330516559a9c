// Refuses commits whose messages are not of the form in docs/engineering.md: the linter's last step.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LONGEST_LINE = 72;
/** Commits of so many hours before the last one are the newest change: the message of an older one cannot be mended any more. */
const HOURS = 4;

/** The scopes that the section "Commits" of the text has in its table. */
export function scopesIn(markdown) {
  const [, section = ""] = markdown.split(/^## Commits$/m);
  return new Set([...section.split(/^## /m)[0].matchAll(/^\| `([a-z]+)` /gm)].map(([, scope]) => scope));
}

/** What is wrong with a message: one sentence each. */
export function faultsOf(message, scopes) {
  const [subject = "", ...body] = message.trimEnd().split("\n");
  const [scope] = subject.split(": ", 1);
  return [
    ...(scopes.has(scope) ? [] : [`"${scope}" is no scope`]),
    ...(/^[^:]+: \S.*[^.\s]$/.test(subject) ? [] : ["the subject is not of the form `scope: what changes`"]),
    ...(subject.length > LONGEST_LINE
      ? [`the subject has ${subject.length} characters, not ${LONGEST_LINE} at most`]
      : []),
    ...(body.length > 0 && body[0] !== "" ? ["no empty line follows the subject"] : []),
    ...body
      .filter((line) => line.length > LONGEST_LINE && line.includes(" "))
      .map((line) => `a line of the body has ${line.length} characters: ${line}`),
  ];
}

/** The commits of the newest change, since this check exists, as hash and message; null: there is no history. */
function commits() {
  if (!existsSync(`${ROOT}/.git`)) return null;
  const added = git("log", "--diff-filter=A", "--format=%H", "--", "scripts/commits.mjs").trim().split("\n").at(-1);
  if (!added) return [];
  const since = Number(git("log", "-1", "--format=%ct")) - HOURS * 3600;
  const records = git("log", "--no-merges", `--since=${since}`, "--format=%h%x00%B%x01", `${added}..HEAD`).split(
    "\x01",
  );
  return records.map((record) => record.trim().split("\0")).filter((parts) => parts.length === 2);
}

function git(...words) {
  return execFileSync("git", words, { cwd: ROOT, encoding: "utf8" });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const scopes = scopesIn(readFileSync(`${ROOT}/docs/engineering.md`, "utf8"));
  const found = commits();
  const faults = (found ?? []).flatMap(([hash, message]) =>
    faultsOf(message, scopes).map((fault) => `${hash}: ${fault}`),
  );
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  const said = found === null ? "There is no history: no commit was checked." : `${found.length} commits were checked.`;
  process.stdout.write(`${said}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
