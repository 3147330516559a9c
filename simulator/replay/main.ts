// Replays recorded exchanges of a real Proxmox VE against the simulator and prints how many agree, scene by scene.
import { Command, Option } from "commander";
import { releases } from "../version.js";
import type { Release } from "../version.js";
import { agrees } from "./judge.js";
import { readRecording } from "./recording.js";
import type { Outcome } from "./replay.js";
import { replayRun } from "./replay.js";
import { reportLines } from "./report.js";

interface Options {
  scene?: string[];
  verbose?: boolean;
  version: Release;
}

const program = new Command("replay")
  .argument("<recording>", "file of exchanges, one JSON object a line")
  .option("--scene <name...>", "report these scenes only (all are replayed, since later ones build on earlier ones)")
  .option("--verbose", "list every disagreement")
  .addOption(new Option("--version <release>", "release of the simulated hosts").choices(releases).default("9.2"))
  .action(async (path: string, options: Options) => {
    const outcomes: Outcome[] = [];
    for (const run of await readRecording(path)) outcomes.push(...(await replayRun(run, options.version)));
    const wanted = outcomes.filter(({ exchange }) => options.scene?.includes(exchange.scene) ?? true);
    for (const line of reportLines(wanted, { verbose: options.verbose ?? false })) process.stdout.write(`${line}\n`);
    process.exitCode = wanted.every(({ verdict }) => verdict === null || agrees(verdict)) ? 0 : 1;
  });

await program.parseAsync();
