// Measures which places of the compiled code each spec runs: a mutant is tried with the specs that could notice it.
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { say } from "./report.mjs";

/** More than any spec takes that ends. */
const LONGEST_SPEC_MS = 600_000;
const SPECS_AT_ONCE = 2;

/**
 * @typedef {[start: number, end: number][]} Places of one compiled file, in its order, without overlap.
 * @typedef {object} Measured
 * @property {Record<string, { seconds: number, files: Record<string, Places> }>} specs Those that passed, by name below `dist/test/`.
 */

/**
 * What an earlier run has measured is taken, in whatever version the code is now: places move, and few specs are missed by that.
 * @param {string} file where it is kept
 * @param {import("./runner.mjs").ColdRunner} runner
 * @returns {Promise<Measured>}
 */
export async function coverageOf(file, dist, runner) {
  if (!existsSync(file)) {
    const measured = await measure(dist, runner);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(measured));
  }
  return JSON.parse(readFileSync(file, "utf8"));
}

async function measure(dist, runner) {
  const specs = globSync(`${dist}/test/**/*.test.js`).toSorted();
  say(`first, to find which specs run what: ${specs.length} specs, each alone`);
  /** @type {Measured} */
  const measured = { specs: {} };
  const left = specs.values();
  await Promise.all(
    Array.from({ length: SPECS_AT_ONCE }, async () => {
      for (const spec of left) await measureSpec(measured, dist, spec, runner);
    }),
  );
  return measured;
}

async function measureSpec(measured, dist, spec, runner) {
  const name = relative(join(dist, "test"), spec);
  const directory = mkdtempSync(join(tmpdir(), "drover-coverage-"));
  const environment = { NODE_V8_COVERAGE: directory };
  try {
    const begin = performance.now();
    const verdict = await runner.run(null, { specs: [spec], timeoutMs: LONGEST_SPEC_MS, environment });
    const seconds = (performance.now() - begin) / 1_000;
    if (verdict === "survived") measured.specs[name] = { seconds, files: placesRun(directory, dist) };
    else say(`left out, as it fails without a mutant: ${name}`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Of all processes of the spec. */
function placesRun(directory, dist) {
  const files = {};
  const beginning = pathToFileURL(`${dist}/`).href;
  for (const report of globSync(`${directory}/*.json`)) {
    for (const { url, functions } of JSON.parse(readFileSync(report, "utf8")).result) {
      if (!url.startsWith(beginning) || url.startsWith(`${beginning}test/`)) continue;
      const name = relative(dist, fileURLToPath(url));
      const places = placesOf(functions);
      if (places.length > 0) files[name] = united([...(files[name] ?? []), ...places]);
    }
  }
  return files;
}

/** What is run whenever the module is loaded says nothing: only what its functions run counts. */
function placesOf(functions) {
  const ranges = functions
    .flatMap((one) => one.ranges)
    .map(({ startOffset, endOffset, count }) => ({
      start: startOffset,
      end: endOffset,
      isRun: count > 0 && startOffset > 0,
    }))
    .toSorted((one, other) => one.start - other.start || other.end - one.end);
  const places = [];
  const open = [];
  let at = 0;
  const upTo = (offset) => {
    if (open.at(-1)?.isRun === true && offset > at) places.push([at, offset]);
    at = Math.max(at, offset);
  };
  for (const range of ranges) {
    while (open.length > 0 && open.at(-1).end <= range.start) {
      upTo(open.at(-1).end);
      open.pop();
    }
    upTo(range.start);
    open.push(range);
  }
  while (open.length > 0) {
    upTo(open.at(-1).end);
    open.pop();
  }
  return united(places);
}

function united(places) {
  const result = [];
  for (const [start, end] of places.toSorted(([one], [other]) => one - other)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
