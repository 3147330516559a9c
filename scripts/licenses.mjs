// Checks that every package which the project is built from or runs with may be used so: by its license, or by an exception.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readArguments } from "./supply/arguments.mjs";
import { isExcepted, LICENSE_EXCEPTIONS } from "./supply/exceptions.mjs";

/** They ask for no more than that their text and the authors' names are kept. */
const PERMISSIVE = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "PSF-2.0",
  "Python-2.0",
  "Unlicense",
]);

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { today, positionals } = readArguments();
const [lockFile = join(root, "package-lock.json")] = positionals;

const { packages } = JSON.parse(readFileSync(lockFile, "utf8"));
const foreign = Object.entries(packages)
  .filter(([path, { link }]) => path.includes("node_modules/") && link !== true)
  .map(([path, { version, license }]) => ({ name: path.replace(/^.*node_modules\//, ""), version, license }));
const faults = foreign.filter(
  ({ name, license }) => !isPermissive(license) && !isExcepted(LICENSE_EXCEPTIONS, name, today),
);
for (const { name, version, license } of faults)
  process.stdout.write(`${name} ${version}: ${license ?? "no license"}, and no exception that holds on ${today}\n`);
process.stdout.write(`${foreign.length} packages, ${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** Of `A AND B` both, of `A OR B` one. Brackets are passed over: an expression that needs them is never taken too lightly. */
function isPermissive(license = "") {
  const parts = license.replaceAll(/[()]/g, "").split(" AND ");
  return parts.every((part) => part.split(" OR ").some((name) => PERMISSIVE.has(name)));
}
