// One benchmark in a process of its own: told which and how much, it tells what it found out.
import { benchmarks } from "../benchmarks/index.js";
import { whenStarterIsGone } from "../starter.js";
import type { Assignment } from "./apart.js";

process.once("message", (assignment: Assignment) => void run(assignment));
// Nobody is there to hear of it.
whenStarterIsGone(() => process.exit(1));

async function run({ name, effort }: Assignment): Promise<void> {
  const benchmark = benchmarks.find((one) => one.name === name);
  if (benchmark === undefined) throw new Error(`There is no benchmark ${name}`);
  const result = await benchmark.run(effort);
  process.send?.(result, () => process.exit());
}
