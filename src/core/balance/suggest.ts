// Suggests moves that cool hot nodes: off each, guest by guest, each to the best node that stays cool.
import { bySize, type MovableGuest } from "../migration/movableGuest.js";
import type { Snapshot } from "../placement/snapshot.js";
import { SETTINGS } from "../settings.js";
import { percent } from "../units.js";
import { Board, type BalanceSettings, type Move } from "./board.js";
import { chooser, type Choose } from "./choose.js";
import { cpuShare } from "./guestLoad.js";
import { describeHeat, type Load } from "./load.js";
import type { BalanceReport, HotNode, Skipped, Suggestion } from "./report.js";

export const DEFAULT_MAX_SUGGESTIONS: number = SETTINGS.maxSuggestions.initial;

const NO_TARGET = "no node of another host has room for it and stays under the thresholds";

/** @returns the hot nodes and the moves that would cool them. Nothing is moved. */
export function suggestMoves(
  snapshot: Snapshot,
  guests: readonly MovableGuest[],
  settings: BalanceSettings,
): BalanceReport {
  const board = new Board(snapshot, settings);
  const running = runningByNode(guests);
  const suggestions: Suggestion[] = [];
  const skipped: Skipped[] = [];
  const hotNodes: HotNode[] = [];
  const cooling = { suggestions, limit: settings.maxSuggestions, choose: chooser(settings.mode, settings.thresholds) };
  for (const place of board.hotNodes()) {
    const { host, name } = board.node(place);
    const load = board.load(place);
    const candidates = running.get(`${host.id}/${name}`) ?? [];
    const passedOver = coolNode(board, place, { ...cooling, candidates });
    const stays = whyStillHot(passedOver, { ...cooling, candidates });
    const reason = describeHeat(load, settings.thresholds);
    skipped.push(...passedOver);
    hotNodes.push({ hostId: host.id, node: name, load, reason, unresolvedReason: board.isHot(place) ? stays : null });
  }
  return { hotNodes, suggestions, skipped, hotAfter: board.hotNodes().length, loadsAfter: board.loads() };
}

/** How one hot node is cooled. */
interface Cooling {
  /** Its running guests, smallest first. */
  readonly candidates: readonly MovableGuest[];
  readonly choose: Choose;
  /** Where suggestions go until there are as many as the limit. */
  readonly suggestions: Suggestion[];
  readonly limit: number;
}

/** Suggests moves off one node until it is under the thresholds. @returns the guests that were passed over. */
function coolNode(board: Board, place: number, { candidates, choose, suggestions, limit }: Cooling): Skipped[] {
  const skipped: Skipped[] = [];
  const remaining = new Set(candidates);
  while (!board.isUnder(place) && suggestions.length < limit) {
    const guest = choose([...remaining], board.node(place));
    if (guest === null) return [...skipped, ...obstructed(remaining)];
    remaining.delete(guest);
    const result = tryMove(board, place, guest);
    if ("reason" in result) skipped.push(result);
    else suggestions.push(result);
  }
  return skipped;
}

function tryMove(board: Board, place: number, guest: MovableGuest): Suggestion | Skipped {
  const obstacle = board.whyNoSource(place) ?? guest.obstacle;
  if (obstacle !== null) return { guest, reason: obstacle };
  const freesCpu = cpuShare(board.node(place), guest);
  const move = board.move(guest, place);
  return move ? suggestion(guest, move, freesCpu) : { guest, reason: guest.refusedBy?.reason ?? NO_TARGET };
}

const obstructed = (guests: Iterable<MovableGuest>): Skipped[] =>
  [...guests].flatMap((guest) => (guest.obstacle === null ? [] : [{ guest, reason: guest.obstacle }]));

function suggestion(guest: MovableGuest, { target, sourceAfter, targetAfter }: Move, freesCpu: number): Suggestion {
  return {
    guest,
    toHostId: target.node.host.id,
    toNode: target.node.name,
    toStorage: target.storage.name,
    sourceAfter,
    targetAfter,
    freesMemoryMb: guest.memoryUsedMb,
    freesCpu,
    explanation: `${guest.node} falls to ${describeLoad(sourceAfter)}; ${target.node.name} rises to ${describeLoad(targetAfter)}`,
  };
}

const describeLoad = ({ ram, cpu }: Load): string =>
  `RAM ${percent(ram)}, CPU ${cpu === null ? "unknown" : percent(cpu)}`;

function whyStillHot(passedOver: readonly Skipped[], { candidates, suggestions, limit }: Cooling): string {
  if (candidates.length === 0) return "no guest is running on it";
  if (suggestions.length >= limit) return `the report ends after ${limit} suggestions`;
  const [first, ...others] = passedOver.map(({ guest, reason }) => `guest ${guest.vmid}: ${reason}`);
  if (first === undefined) return "its running guests do not suffice";
  return others.length === 0 ? first : `${first}; ${others.length} more passed over`;
}

function runningByNode(guests: readonly MovableGuest[]): Map<string, MovableGuest[]> {
  const running = guests.filter((guest) => guest.running).toSorted(bySize);
  return Map.groupBy(running, ({ hostId, node }) => `${hostId}/${node}`);
}
