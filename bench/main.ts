// `npm run bench`: runs the benchmarks that are named, or all, prints what they found out and keeps it in bench/results.json.
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { runApart } from "./apart/apart.js";
import { benchmarks } from "./benchmarks/index.js";
import { machine, USUAL_EFFORT, type Benchmark, type Effort } from "./frame.js";
import { reportOf } from "./report.js";
import { seedDatabase } from "./seed.js";

const RESULTS = "bench/results.json";
const USAGE = `npm run bench -- [--rounds ${USUAL_EFFORT.rounds}] [--seconds ${USUAL_EFFORT.seconds}] [--hosts ${USUAL_EFFORT.hosts}] [NAME …]
npm run bench -- seed GUESTS        fills the database of DATABASE_URL

${benchmarks.map(({ name, title }) => `  ${name.padEnd(16)}${title}`).join("\n")}
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: "string", default: String(USUAL_EFFORT.rounds) },
      seconds: { type: "string", default: String(USUAL_EFFORT.seconds) },
      hosts: { type: "string", default: String(USUAL_EFFORT.hosts) },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) process.stdout.write(USAGE);
  else if (positionals[0] === "seed") await seedDatabase(positionals[1]);
  else await runAll(chosen(positionals), effortOf(values));
}

const effortOf = ({ rounds, seconds, hosts }: Readonly<Record<keyof Effort, string>>): Effort => ({
  rounds: Number(rounds),
  seconds: Number(seconds),
  hosts: Number(hosts),
});

function chosen(names: readonly string[]): readonly Benchmark[] {
  const unknown = names.filter((name) => benchmarks.every((benchmark) => benchmark.name !== name));
  if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(", ")}\n\n${USAGE}`);
  return names.length === 0 ? benchmarks : benchmarks.filter(({ name }) => names.includes(name));
}

/** One after the other; one that fails or takes too long is told of and makes the exit code 1, and the next one runs. */
async function runAll(some: readonly Benchmark[], effort: Effort): Promise<void> {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => interrupt.abort());
  for (const benchmark of some) {
    if (interrupt.signal.aborted) break;
    try {
      await runOne(benchmark, effort, interrupt.signal);
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    }
  }
}

/** What was found out is kept at once, beside the results of benchmarks that are not run now. */
async function runOne(benchmark: Benchmark, effort: Effort, interrupted: AbortSignal): Promise<void> {
  const before = machine();
  const result = await runApart(benchmark, effort, interrupted);
  const { load: loadAfter } = machine();
  const loads = `load ${before.load.toFixed(1)} before, ${loadAfter.toFixed(1)} after, on ${before.cores} cores`;
  process.stdout.write(`${reportOf(`${benchmark.name}: ${benchmark.title} (${loads})`, result)}\n`);
  const kept = { at: new Date().toISOString(), machine: { ...before, loadAfter }, effort, ...result };
  await writeFile(RESULTS, `${JSON.stringify({ ...(await earlier()), [benchmark.name]: kept }, null, 2)}\n`);
}

async function earlier(): Promise<object> {
  const text = await readFile(RESULTS, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  const results: unknown = JSON.parse(text);
  return typeof results === "object" && results !== null ? results : {};
}

await main();
