// Benchmark: `drover simulate placement` and `balance` as whole commands beside ganeti's hail and hbal, on equal fleets.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_MAX_SUGGESTIONS } from "../../src/core/balance/suggest.js";
import { LONGEST_CPU_SECONDS, placeOf, takes, wasEnded, type WholeCommand } from "../allocators/command.js";
import { droverWorld, fleetOf } from "../allocators/fleet.js";
import { ganetiFleet, ganetiRequest, guestsOfHotNodes } from "../allocators/ganeti.js";
import { inTurns, ratioOf, type Benchmark, type Result, type Standing, type Verdict } from "../frame.js";

const NODES = [10, 100, 1_000, 10_000];
const TARGET_NODES = 1_000;
const TIMES_FASTER = 20;
/** hail and hbal take up to 10 s of CPU time each at every turn: more rounds would take long. */
const MOST_ROUNDS = 2;

const drover = fileURLToPath(new URL("../../../bin/drover.js", import.meta.url));

/** Two commands that answer the same question. */
interface Pair {
  readonly ganeti: string;
  readonly drover: string;
}
const PLACEMENT: Pair = { ganeti: "hail", drover: "drover simulate placement" };
const BALANCE: Pair = { ganeti: "hbal", drover: "drover simulate balance" };

/** Where ganeti's programs are. */
interface Tools {
  readonly hail: string;
  readonly hbal: string;
}

export const allocators: Benchmark = {
  name: "allocators",
  title: "placement and balance as whole commands beside ganeti's hail and hbal on equal fleets",
  longestSeconds: 900,
  async run({ rounds }) {
    const [hail, hbal] = [await placeOf("hail"), await placeOf("hbal")];
    if (hail === null || hbal === null) return SKIPPED;
    const directory = await mkdtemp(join(tmpdir(), "drover-allocators-"));
    try {
      return resultOf(await measured({ hail, hbal }, directory, Math.min(rounds, MOST_ROUNDS)));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

const SKIPPED: Result = {
  standings: [],
  verdicts: [],
  notes: [
    "Skipped: hail and hbal are not in the PATH, nor where HAIL and HBAL say; Debian's package ganeti-htools-3.0 has them.",
  ],
};

const nameAt = (name: string, nodes: number): string => `${name}, ${nodes} nodes`;

/** One of ganeti's that was ended at some size is not asked at larger ones. */
async function measured(tools: Tools, directory: string, rounds: number): Promise<Standing[]> {
  const standings: Standing[] = [];
  const ended = new Set<string>();
  for (const nodes of NODES) {
    const commands = await commandsFor(nodes, tools, directory);
    for (const pair of [PLACEMENT, BALANCE]) {
      const names = ended.has(pair.ganeti) ? [pair.drover] : [pair.ganeti, pair.drover];
      const contestants = names.map((name) => ({
        name: nameAt(name, nodes),
        measure: () => takes(commandOf(commands, name)),
      }));
      const side = await inTurns(contestants, rounds);
      if (side.some(({ figures }) => wasEnded(figures))) ended.add(pair.ganeti);
      standings.push(...side);
    }
  }
  return standings;
}

function commandOf(commands: Readonly<Record<string, WholeCommand>>, name: string): WholeCommand {
  const command = commands[name];
  if (command === undefined) throw new Error(`There is no command for ${name}`);
  return command;
}

/** Writes the fleet down, for each side in its own format. hail and hbal are spared what Drover does not do either. */
async function commandsFor(
  nodes: number,
  { hail, hbal }: Tools,
  directory: string,
): Promise<Readonly<Record<string, WholeCommand>>> {
  const fleet = fleetOf(nodes);
  const write = async (name: string, text: string): Promise<string> => {
    const file = join(directory, name);
    await writeFile(file, text);
    return file;
  };
  const text = await write(`${nodes}.data`, ganetiFleet(fleet));
  const request = await write("request.json", ganetiRequest());
  const world = await write(`${nodes}.json`, droverWorld(fleet));
  const selected = `--select-instances=${guestsOfHotNodes(fleet)}`;
  const simulate = (kind: string) => [drover, "simulate", kind, "--input", world];
  return {
    [PLACEMENT.ganeti]: {
      file: hail,
      given: ["--no-capacity-checks", "-t", text, request],
      answers: /"success":true/,
    },
    [PLACEMENT.drover]: { file: process.execPath, given: simulate("placement"), answers: /"best": \{/ },
    [BALANCE.ganeti]: {
      file: hbal,
      given: ["-l", String(DEFAULT_MAX_SUGGESTIONS), selected, "-t", text],
      answers: /Solution length=[1-9]/,
    },
    [BALANCE.drover]: { file: process.execPath, given: simulate("balance"), answers: /"suggestions": \[\s*\{/ },
  };
}

const resultOf = (standings: readonly Standing[]): Result => ({
  standings,
  verdicts: [PLACEMENT, BALANCE].flatMap((pair) => verdictOf(standings, pair)),
  notes: [
    ...standings
      .filter(({ figures }) => wasEnded(figures))
      .map(({ name }) => `${name}: ended after ${LONGEST_CPU_SECONDS} s of CPU time; in truth it takes longer.`),
    "hail without its capacity checks; hbal with the guests of hot nodes only, and as many moves as Drover suggests.",
  ],
});

/** None where ganeti's command was ended at a smaller fleet already. */
function verdictOf(standings: readonly Standing[], pair: Pair): Verdict[] {
  const ganeti = standings.find(({ name }) => name === nameAt(pair.ganeti, TARGET_NODES));
  if (ganeti === undefined) return [];
  const says = `CPU time of ${pair.ganeti} to that of ${pair.drover}, ${TARGET_NODES} nodes`;
  const value = 1 / ratioOf(standings, nameAt(pair.drover, TARGET_NODES), "CPU ms");
  return [
    {
      says: wasEnded(ganeti.figures) ? `${says}, at least, as it was ended` : says,
      value,
      unit: "×",
      atLeast: TIMES_FASTER,
    },
  ];
}
