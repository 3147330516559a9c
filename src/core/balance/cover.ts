// Finds the cheapest set of guests whose leaving cools a node: an exact search that skips what cannot be better.

/** What one guest costs to move, and the shares of the node's RAM and CPU that its leaving frees. */
export interface Relief {
  readonly cost: number;
  readonly ram: number;
  readonly cpu: number;
}

/** The shares to be freed: strictly more than this of both. */
export type Need = Pick<Relief, "ram" | "cpu">;

/** Enough for an exact answer on real nodes; on others it is the best set found so far. */
const MOST_STEPS = 20_000;

/** An item in the order of the search. */
interface Ranked<Item> extends Relief {
  readonly item: Item;
  readonly position: number;
}

/** @returns a cheapest set of items that frees more than is needed, or null when all of them together do not. */
export function cheapestCover<Item extends Relief>(items: readonly Item[], need: Need): readonly Item[] | null {
  const useful = items.toSorted((left, right) => usefulness(right, need) - usefulness(left, need));
  const ranked = useful.map((item, position) => ({ ...reliefOf(item), item, position }));
  const byRam = ranked.toSorted((left, right) => right.ram / right.cost - left.ram / left.cost);
  const byCpu = ranked.toSorted((left, right) => right.cpu / right.cost - left.cpu / left.cost);
  const best: { cost: number; items: readonly Item[] | null } = { cost: Infinity, items: null };
  let steps = 0;

  /** Depth first: with the item at this position, then without it. */
  function visit(position: number, chosen: readonly Item[], cost: number, left: Need): void {
    if (isMet(left)) {
      if (cost < best.cost) Object.assign(best, { cost, items: chosen });
      return;
    }
    const next = ranked[position];
    if (next === undefined || ++steps > MOST_STEPS) return;
    const rest = Math.max(
      leastCost(byRam, position, { left: left.ram, of: "ram" }),
      leastCost(byCpu, position, { left: left.cpu, of: "cpu" }),
    );
    if (cost + rest >= best.cost) return;
    visit(position + 1, [...chosen, next.item], cost + next.cost, minus(left, next));
    visit(position + 1, chosen, cost, left);
  }

  visit(0, [], 0, need);
  return best.items;
}

/** Were items divisible, this is the least that those from `position` on would cost; infinite when they do not suffice. */
function leastCost<Item>(
  cheapestFirst: readonly Ranked<Item>[],
  position: number,
  need: { readonly left: number; readonly of: keyof Need },
): number {
  if (need.left < 0) return 0;
  let { left } = need;
  let cost = 0;
  for (const item of cheapestFirst) {
    if (item.position < position) continue;
    const freed = item[need.of];
    if (freed > left) return cost + item.cost * (left / freed);
    left -= freed;
    cost += item.cost;
  }
  return Infinity;
}

const reliefOf = ({ cost, ram, cpu }: Relief): Relief => ({ cost, ram, cpu });

const isMet = ({ ram, cpu }: Need): boolean => ram < 0 && cpu < 0;

const minus = (need: Need, { ram, cpu }: Relief): Need => ({ ram: need.ram - ram, cpu: need.cpu - cpu });

/** How much of what is needed an item frees for its cost: useful items first, so that a good set is found early. */
const usefulness = ({ cost, ram, cpu }: Relief, need: Need): number =>
  (shareOfNeed(ram, need.ram) + shareOfNeed(cpu, need.cpu)) / cost;

const shareOfNeed = (freed: number, need: number): number => (need <= 0 ? 0 : Math.min(1, freed / need));
