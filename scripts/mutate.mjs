// Mutation testing, for development: changes compiled code one small place at a time, and reports which changes no spec notices.
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createHash } from "node:crypto";
import { SourceMap } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import pLimit from "p-limit";
import { isProgram, mutantsOf } from "./mutate/mutants.mjs";
import { report, say } from "./mutate/report.mjs";
import { ColdRunner, WarmRunner } from "./mutate/runner.mjs";
import { isPure } from "./mutate/specs.mjs";
import { trialsWith } from "./mutate/trials.mjs";

const USAGE = `node scripts/mutate.mjs [options] FOLDER|FILE…      (as in src/core/balance; built before by npm run build)
  --sample N      only so many mutants, chosen by --seed
  --seed N        default: 1
  --specs A,B     these specs, below dist/test, instead of those that run the place
  --seconds N     most seconds that the specs of a mutant take together; default: 40
  --survivors     only what survived, once more: with more seconds, more specs are tried
  --minutes N     stop after so many minutes; the next run goes on
  --fresh         forget earlier results, and which specs run what
  --report        only report them`;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// A build is a link: modules are loaded, and told apart, by the address of its folder.
const dist = realpathSync(join(root, "dist"));
const RESULTS = join(root, ".mutations", "results.jsonl");
const COVERAGE = join(root, ".mutations", "coverage.json");
const TRIALS_AT_ONCE = 2;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    specs: { type: "string" },
    seconds: { type: "string", default: "40" },
    survivors: { type: "boolean", default: false },
    minutes: { type: "string" },
    fresh: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
  },
});
if (positionals.length === 0) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}

const mutants = sampled(positionals.flatMap(compiledFiles).flatMap(mutantsIn));
if (values.fresh) for (const file of [RESULTS, COVERAGE]) rmSync(file, { force: true });
const known = earlierResults();
if (!values.report)
  await tryAll(mutants.filter((mutant) => verdictOf(mutant) === (values.survivors ? "survived" : null)));
report(mutants.map((mutant) => ({ ...mutant, verdict: verdictOf(mutant) })).filter(({ verdict }) => verdict !== null));
const open = mutants.filter((mutant) => verdictOf(mutant) === null).length;
if (open > 0) say(`${open} mutants have not been tried`);

/** Null: not tried yet, or not with the specs as they are now. What specs once noticed they are taken to notice still. */
function verdictOf({ id }) {
  const result = known.get(id);
  if (result === undefined) return null;
  return result.verdict === "survived" && result.version !== versionOf(result.specs.map((spec) => join(dist, spec)))
    ? null
    : result.verdict;
}

function compiledFiles(name) {
  const compiled = join(dist, name.replace(/\.ts$/, ".js").replace(/\/$/, ""));
  const files = compiled.endsWith(".js") ? [compiled] : globSync(`${compiled}/**/*.js`).toSorted();
  if (!files.every((file) => existsSync(file)) || files.length === 0) throw new Error(`nothing compiled of ${name}`);
  return files;
}

/** A mutant is known by what it changes: results outlive changes elsewhere in the file's neighbours, not of the file. */
function mutantsIn(file) {
  const source = readFileSync(file, "utf8");
  const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
  const name = relative(dist, file);
  const version = shortHash(source);
  return mutantsOf(source)
    .filter(({ start, end, text }) => isProgram(source.slice(0, start) + text + source.slice(end)))
    .map((mutant) => {
      const lines = source.slice(0, mutant.start).split("\n");
      const { originalLine } = map.findEntry(lines.length - 1, lines.at(-1)?.length ?? 0);
      return {
        ...mutant,
        file: name,
        place: `${name.replace(/\.js$/, ".ts")}:${(originalLine ?? lines.length - 1) + 1}`,
        was: source.slice(mutant.start, mutant.end),
        url: pathToFileURL(file).href,
        id: `${name} ${version} ${mutant.start}-${mutant.end} ${mutant.text}`,
      };
    });
}

/** The same seed chooses the same of the same. */
function sampled(all) {
  if (values.sample === undefined) return all;
  const rank = ({ id }) => createHash("sha256").update(`${values.seed} ${id}`).digest("hex");
  const chosen = new Set(
    all
      .map((mutant) => [rank(mutant), mutant.id])
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .slice(0, Number(values.sample))
      .map(([, id]) => id),
  );
  return all.filter(({ id }) => chosen.has(id));
}

function earlierResults() {
  if (!existsSync(RESULTS)) return new Map();
  const lines = readFileSync(RESULTS, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return new Map(lines.map((line) => JSON.parse(line)).map((result) => [result.id, result]));
}

async function tryAll(left) {
  const warm = new WarmRunner();
  const cold = new ColdRunner();
  const trialOf = trialsWith({
    dist,
    coverageFile: COVERAGE,
    named: values.specs?.split(","),
    mostSeconds: Number(values.seconds),
    warm,
    cold,
  });
  const deadline = performance.now() + Number(values.minutes ?? Infinity) * 60_000;
  const tryOne = async (mutant) => {
    if (performance.now() > deadline) return;
    const { runner, specs, timeoutMs } = await trialOf(mutant);
    // A place that no spec runs.
    const verdict = specs.length === 0 ? "survived" : await runner.run(mutant, { specs, timeoutMs });
    record({ id: mutant.id, verdict, specs: specs.map((spec) => relative(dist, spec)), version: versionOf(specs) });
    if (verdict !== "killed") say(`${verdict}: ${mutant.place} ${mutant.kind}`);
  };
  try {
    // The one process for pure code has room for one mutant.
    await pLimit(1).map(
      left.filter(({ file }) => isPure(file)),
      tryOne,
    );
    await pLimit(TRIALS_AT_ONCE).map(
      left.filter(({ file }) => !isPure(file)),
      tryOne,
    );
  } finally {
    warm.close();
    await cold.close();
  }
}

function record(result) {
  known.set(result.id, result);
  mkdirSync(dirname(RESULTS), { recursive: true });
  appendFileSync(RESULTS, `${JSON.stringify(result)}\n`);
}

/** Of the specs as they are now. @param {string[]} specs paths */
function versionOf(specs) {
  return shortHash(specs.map((spec) => (existsSync(spec) ? readFileSync(spec, "utf8") : "")).join(""));
}

function shortHash(text) {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
