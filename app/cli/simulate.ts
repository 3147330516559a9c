// `drover simulate`: decides a placement or a balance report on a fleet described in JSON, without a database.
import { Command } from "commander";
import { describeProblems, type Checked } from "../../src/core/problem.js";
import { simulateBalance } from "./simulation/balance.js";
import { simulatePlacement } from "./simulation/placement.js";
import { printJson } from "./print.js";
import { contentOf, RefusedInput } from "./values.js";

const SIMULATIONS = {
  placement: { description: "where a new guest would be placed, and why", run: simulatePlacement },
  balance: { description: "which moves would relieve hot nodes", run: simulateBalance },
} as const;

export function simulateCommand(): Command {
  const simulate = new Command("simulate").description("decisions on a described world (JSON)");
  for (const [name, { description, run }] of Object.entries(SIMULATIONS)) {
    simulate
      .command(name)
      .description(description)
      .requiredOption("--input <file>", "the world as JSON; - reads standard input")
      .action(async ({ input }: { input: string }) => printJson(valueOf(run(parse(await contentOf(input))))));
  }
  return simulate;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RefusedInput(`input is no JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function valueOf(outcome: Checked<unknown>): unknown {
  if (!outcome.ok) throw new RefusedInput(describeProblems(outcome.problems));
  return outcome.value;
}
