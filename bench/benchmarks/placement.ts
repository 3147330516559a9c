// Benchmark: placement and balancing in process, at 10 to 10,000 nodes, beside reading the same snapshot as JSON.
import { DEFAULT_THRESHOLDS } from "../../src/core/balance/load.js";
import { DEFAULT_MAX_SUGGESTIONS, suggestMoves } from "../../src/core/balance/suggest.js";
import { DEFAULT_PLACEMENT_SETTINGS, EVERY_NODE } from "../../src/core/placement/context.js";
import { place, placeBest } from "../../src/core/placement/place.js";
import type { PlacementRequest } from "../../src/core/placement/snapshot.js";
import { figureOf, inTurns, computed, type Benchmark, type Contestant, type Figures, type Standing } from "../frame.js";
import { guestsToMove, snapshotOf } from "../seed/snapshot.js";

const NODES = [10, 100, 1_000, 10_000];
const MOST = 10_000;
const REQUEST: PlacementRequest = { type: "qemu", memoryMb: 4_096, cores: 2, diskGb: 40 };
/** Nodes that are looked at in one turn, in as many repetitions as that takes. */
const NODES_A_TURN = 50_000;

const PARSE = "JSON.parse of the snapshot";
const BEST = "the best node";
const EXPLAINED = "all nodes, ranked and explained";
const BALANCED = "balance report";

export const placement: Benchmark = {
  name: "placement",
  title: "placement and balance in process beside JSON.parse of the same snapshot",
  longestSeconds: 240,
  async run({ rounds }) {
    const standings: Standing[] = [];
    for (const nodes of NODES) standings.push(...(await inTurns(contestants(nodes), rounds)));
    return {
      standings,
      verdicts: [
        { says: `${BEST} of ${MOST}`, value: millisecondsAt(standings, BEST), unit: "ms", atMost: 5 },
        { says: `${EXPLAINED}, of ${MOST}`, value: millisecondsAt(standings, EXPLAINED), unit: "ms", atMost: 15 },
      ],
    };
  },
};

const nameAt = (name: string, nodes: number): string => `${name}, ${nodes} nodes`;
const millisecondsAt = (standings: readonly Standing[], name: string): number =>
  figureOf(standings, nameAt(name, MOST), "CPU ms");

function contestants(nodes: number): Contestant[] {
  const snapshot = snapshotOf(nodes);
  const text = JSON.stringify(snapshot);
  const guests = guestsToMove(snapshot);
  const settings = {
    placement: DEFAULT_PLACEMENT_SETTINGS,
    thresholds: DEFAULT_THRESHOLDS,
    maxSuggestions: DEFAULT_MAX_SUGGESTIONS,
    mode: "smallest_first",
  } as const;
  const work: [string, () => unknown][] = [
    [PARSE, () => JSON.parse(text)],
    [BEST, () => placeBest(snapshot, REQUEST, EVERY_NODE)],
    [EXPLAINED, () => place(snapshot, REQUEST, EVERY_NODE).ranked],
    [BALANCED, () => suggestMoves(snapshot, guests, settings)],
  ];
  return work.map(([name, once]) => ({
    name: nameAt(name, nodes),
    measure: () => repeated(once, NODES_A_TURN / nodes),
  }));
}

async function repeated(work: () => unknown, times: number): Promise<Figures> {
  const whole = computed(() => {
    for (let repetition = 0; repetition < times; repetition++) work();
  });
  return { "CPU ms": whole / times };
}
