// Chooses the specs that a mutant is tried with: of those that run its place, the ones that have most to do with its file.
import { globSync } from "node:fs";
import { dirname, join } from "node:path";

/** Its specs need nothing but the code, and stand in the folder of the same name. */
const PURE = "src/core/";

/** @param {string} file below `dist/` @returns {boolean} whether its specs can be run in a process that is kept */
export const isPure = (file) => file.startsWith(PURE);

/** @param {string} file of pure code @returns {string[]} */
export function pureSpecs(dist, file) {
  const specs = specsNamed(dist, [dirname(file).replace(/^src\//, "")]);
  if (specs.length === 0) throw new Error(`there are no specs for ${file}`);
  return specs;
}

/**
 * The shortest first: most mutants are noticed by the first spec.
 * @param {import("./coverage.mjs").Measured} measured
 * @param {{ file: string, start: number }} mutant
 * @param {{ dist: string, mostSeconds: number }} options how long they may take together
 * @returns {{ specs: string[], seconds: number }} how long they take without a mutant; no specs when none runs the file
 */
export function specsThatRun(measured, { file, start }, { dist, mostSeconds }) {
  const ofFile = Object.entries(measured.specs)
    .filter(([, { files }]) => Object.hasOwn(files, file))
    .map(([name, { seconds, files }]) => ({ name, seconds, places: files[file], share: shareOf(files, file) }));
  const ofPlace = ofFile.filter(({ places }) => places.some(([from, to]) => from <= start && start < to));
  // No function runs a constant of the module: whatever runs the file's functions may notice it.
  const chosen = nearest(ofPlace.length > 0 ? ofPlace : ofFile, mostSeconds).toSorted(
    (one, other) => one.seconds - other.seconds,
  );
  return {
    specs: chosen.map(({ name }) => join(dist, "test", name)),
    seconds: sum(chosen.map(({ seconds }) => seconds)),
  };
}

/** How much of what a spec runs is this file: near one for a spec of its own, little for a whole service. */
function shareOf(files, file) {
  const lengthOf = (places) => sum(places.map(([start, end]) => end - start));
  return lengthOf(files[file]) / sum(Object.values(files).map(lengthOf));
}

/** One at least, however long it takes. */
function nearest(specs, mostSeconds) {
  const chosen = [];
  let left = mostSeconds;
  for (const spec of specs.toSorted((one, other) => other.share - one.share)) {
    if (chosen.length > 0 && spec.seconds > left) continue;
    chosen.push(spec);
    left -= spec.seconds;
  }
  return chosen;
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** @param {string[]} names files or folders below `dist/test/` */
export const specsNamed = (dist, names) =>
  names.flatMap((name) =>
    globSync(name.endsWith(".js") ? `${dist}/test/${name}` : `${dist}/test/${name}/**/*.test.js`).toSorted(),
  );
