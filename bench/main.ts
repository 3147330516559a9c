// `npm run bench`: measures the service beside hand-written handlers, prints the figures and writes bench/results.json.
import { writeFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { withBenchDatabase } from "./database.js";
import { benchGuests, type VariantResult } from "./guests.js";

const TARGET = 1.3;
const WIDTH = 51;
const LABELS: Readonly<Record<VariantResult["name"], string>> = {
  bare: "(a)  node:http + pg rows + JSON.stringify",
  tuned: "     the same with the service's form of statement",
  passthrough: "(a*) node:http + pg, PostgreSQL's own JSON",
  drover: "Drover",
};

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "7" }, seconds: { type: "string", default: "3" } },
});
const options = { rounds: Number(values.rounds), seconds: Number(values.seconds) };

const loadBefore = loadavg();
const guests = await withBenchDatabase((database) => benchGuests(database, options));
const results = {
  at: new Date().toISOString(),
  machine: { cores: availableParallelism(), node: process.version, loadBefore, loadAfter: loadavg() },
  options,
  guests,
};
await writeFile("bench/results.json", `${JSON.stringify(results, null, 2)}\n`);
process.stdout.write(`${report(guests)}\n`);

function report(rows: readonly VariantResult[]): string {
  const [load = 0] = results.machine.loadAfter;
  const ratio = rows.find(({ name }) => name === "drover")?.ratioToBare ?? 0;
  return [
    `A page of 50 guests with token check and request log; ${options.rounds} rounds of ${options.seconds} s in turns, load ${load.toFixed(1)}`,
    "",
    `${"".padEnd(WIDTH)}   req/s   p50 ms   p99 ms   CPU µs   ratio`,
    ...rows.map(line),
    "",
    `${ratio.toFixed(2)} × (a); the target is ${TARGET}: ${ratio >= TARGET ? "met" : "missed"}`,
  ].join("\n");
}

function line({ name, requestsPerSecond, p50Ms, p99Ms, cpuMicroseconds, ratioToBare }: VariantResult): string {
  const figures = [
    requestsPerSecond.toFixed(0).padStart(8),
    p50Ms.toFixed(1).padStart(9),
    p99Ms.toFixed(1).padStart(9),
    cpuMicroseconds.toFixed(0).padStart(9),
    ratioToBare.toFixed(2).padStart(8),
  ];
  return LABELS[name].padEnd(WIDTH) + figures.join("");
}
