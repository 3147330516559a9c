// Keeps the list of spec files that failed among others and passed alone: one that is in it twice is a fault to be mended.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const LIST = join(".tests", "flaky.jsonl");

/** @returns how often the file has been in the list, this time included */
export function keep(file, failures) {
  mkdirSync(dirname(LIST), { recursive: true });
  appendFileSync(LIST, `${JSON.stringify({ at: new Date().toISOString(), file, failures })}\n`);
  return entries().filter((entry) => entry.file === file).length;
}

const entries = () => (existsSync(LIST) ? readFileSync(LIST, "utf8").split("\n").filter(Boolean).map(JSON.parse) : []);
