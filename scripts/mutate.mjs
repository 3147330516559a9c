// Mutation testing, for development: changes compiled code one small place at a time, and reports which changes no spec notices.
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { createHash } from "node:crypto";
import { SourceMap } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { isProgram, mutantsOf } from "./mutate/mutants.mjs";
import { report, say } from "./mutate/report.mjs";
import { ColdRunner, WarmRunner } from "./mutate/runner.mjs";
import { nearestSpecs, specsNamed } from "./mutate/specs.mjs";

const USAGE = `node scripts/mutate.mjs [options] FOLDER|FILE…      (as in src/core/balance; built before by npm run build)
  --sample N      only so many mutants, chosen by --seed
  --seed N        default: 1
  --specs A,B     these specs, below dist/test, instead of the nearest
  --minutes N     stop after so many minutes; the next run goes on
  --fresh         forget earlier results
  --report        only report them`;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
// A build is a link: modules are loaded, and told apart, by the address of its folder.
const dist = realpathSync(join(root, "dist"));
const RESULTS = join(root, ".mutations", "results.jsonl");
const SHORTEST_TIMEOUT_MS = 10_000;
/** Slower than without a mutant by so much is no answer any more; the machine may be busy. */
const PATIENCE = 8;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    specs: { type: "string" },
    minutes: { type: "string" },
    fresh: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
  },
});
if (positionals.length === 0) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}

const specsOfFiles = new Map();
const mutants = sampled(positionals.flatMap(compiledFiles).flatMap(mutantsIn));
const known = values.fresh ? new Map() : earlierResults();
if (!values.report) await runAll(mutants.filter((mutant) => verdictOf(mutant) === null));
report(mutants.map((mutant) => ({ ...mutant, verdict: verdictOf(mutant) })).filter(({ verdict }) => verdict !== null));
const open = mutants.filter((mutant) => verdictOf(mutant) === null).length;
if (open > 0) say(`${open} mutants have not been tried`);

/** Null: not tried yet, or not with the specs as they are now. What specs once noticed they are taken to notice still. */
function verdictOf({ id, file }) {
  const result = known.get(id);
  if (result === undefined) return null;
  return result.verdict === "survived" && result.specs !== specsOf(file).version ? null : result.verdict;
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

async function runAll(left) {
  mkdirSync(dirname(RESULTS), { recursive: true });
  const runners = { warm: new WarmRunner(), cold: new ColdRunner() };
  const deadline = performance.now() + Number(values.minutes ?? Infinity) * 60_000;
  try {
    for (const [file, ofFile] of Map.groupBy(left, (mutant) => mutant.file)) {
      if (performance.now() > deadline) break;
      const how = await preparedFor(file, runners);
      for (const mutant of ofFile) {
        if (performance.now() > deadline) break;
        const verdict = await how.runner.run(mutant, how);
        const result = { id: mutant.id, verdict, specs: how.version };
        known.set(mutant.id, result);
        appendFileSync(RESULTS, `${JSON.stringify(result)}\n`);
        if (verdict !== "killed") say(`${verdict}: ${mutant.place} ${mutant.kind}`);
      }
    }
  } finally {
    runners.warm.close();
    await runners.cold.close();
  }
}

/** @returns the specs of a file, whether they are pure, and what tells them from those of another day */
function specsOf(file) {
  const found = specsOfFiles.get(file) ?? lookForSpecs(file);
  specsOfFiles.set(file, found);
  return found;
}

function lookForSpecs(file) {
  const nearest = nearestSpecs(dist, file);
  const specs = values.specs === undefined ? nearest.specs : specsNamed(dist, values.specs.split(","));
  return { ...nearest, specs, version: shortHash(specs.map((spec) => readFileSync(spec, "utf8")).join("")) };
}

function shortHash(text) {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** @returns the specs, how they are run, and how long they may take. @throws Error when they fail without any mutant */
async function preparedFor(file, { warm, cold }) {
  const { specs, pure, version } = specsOf(file);
  const runner = pure ? warm : cold;
  const begin = performance.now();
  const verdict = await runner.run(null, { specs, timeoutMs: 600_000 });
  if (verdict !== "survived") throw new Error(`the specs of ${file} fail without a mutant: ${specs.join(" ")}`);
  const timeoutMs = Math.max(SHORTEST_TIMEOUT_MS, PATIENCE * (performance.now() - begin));
  return { specs, version, runner, timeoutMs };
}
