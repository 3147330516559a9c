// The nodes while a report is made: every suggested move is applied to them, so that the next one takes it into account.
import { GuestType, type BalanceMode } from "../enums.js";
import { EVERY_NODE, type PlacementContext, type PlacementSettings } from "../placement/context.js";
import { byHostAndName, nameOf } from "../placement/nodeSet.js";
import { whyDropped, whyNoSource, type Question } from "../placement/rules.js";
import { scoreNode, type ScoredNode } from "../placement/score.js";
import type { NodeState, PlacementRequest, Snapshot } from "../placement/snapshot.js";
import { isRefusedBy, leadsBack, placeFor, type MovableGuest } from "../migration/movableGuest.js";
import { loadWithGuest, withDisk, withGuest, withoutGuest } from "./guestLoad.js";
import { fitsNowhere, greatestHeadroom, type Headroom } from "./headroom.js";
import { TargetOrder } from "./targetOrder.js";
import { excess, isHot, isUnder, loadOf, type Load, type Thresholds } from "./load.js";

export interface BalanceSettings {
  readonly placement: PlacementSettings;
  readonly thresholds: Thresholds;
  /** At most this many suggestions in one report. */
  readonly maxSuggestions: number;
  readonly mode: BalanceMode;
}

/** Where a guest went, and how loaded both nodes are since. */
export interface Move {
  readonly target: ScoredNode;
  readonly sourceAfter: Load;
  readonly targetAfter: Load;
}

/** Asks of a node only what does not depend on the guest. */
const NOTHING: PlacementRequest = { type: "qemu", memoryMb: 0, cores: 0, diskGb: 0 };
const OF_STORAGE: readonly string[] = ["NO_STORAGE_OF_TYPE", "NOT_ENOUGH_STORAGE"];

/** Nodes are known by their place in the snapshot; their states are replaced as guests move, never changed. */
export class Board {
  readonly #now: number;
  readonly #nodes: NodeState[];
  readonly #context: PlacementContext;
  readonly #thresholds: Thresholds;
  /** The nodes that guests may move to, were there room: not hot at the start, of known CPU, with nothing against them. */
  readonly #targets: readonly number[];
  readonly #order: Readonly<Record<GuestType, TargetOrder>>;
  #headroom: Headroom;
  /** Whether targets have filled up since the headroom was computed. */
  #isHeadroomOld = false;

  constructor({ now, nodes }: Snapshot, { placement, thresholds }: BalanceSettings) {
    this.#now = now;
    this.#nodes = [...nodes];
    this.#context = { ...EVERY_NODE, settings: placement };
    this.#thresholds = thresholds;
    this.#targets = [...nodes.keys()].filter((place) => this.#mayBeTarget(place));
    this.#order = {
      [GuestType.QEMU]: this.#orderFor(GuestType.QEMU),
      [GuestType.LXC]: this.#orderFor(GuestType.LXC),
    };
    this.#headroom = greatestHeadroom(this.#targetNodes(), thresholds);
  }

  /** @returns the places of all hot nodes, hottest first, then by host id and node name. */
  hotNodes(): number[] {
    const hot = [...this.#nodes.keys()].filter((place) => this.isHot(place));
    return hot.toSorted((left, right) => {
      const hotter = excess(this.load(right), this.#thresholds) - excess(this.load(left), this.#thresholds);
      return hotter || byHostAndName(nameOf(this.node(left)), nameOf(this.node(right)));
    });
  }

  /** @returns the node's state after the moves so far. */
  node(place: number): NodeState {
    const node = this.#nodes[place];
    if (node === undefined) throw new RangeError(`no node at ${place}`);
    return node;
  }

  load(place: number): Load {
    return loadOf(this.node(place));
  }

  /** @returns the loads of all nodes, in the order of the snapshot. */
  loads(): Load[] {
    return this.#nodes.map(loadOf);
  }

  isHot(place: number): boolean {
    return isHot(this.load(place), this.#thresholds);
  }

  isUnder(place: number): boolean {
    return isUnder(this.load(place), this.#thresholds);
  }

  /** @returns why no guest can leave the node; null when guests can. */
  whyNoSource(place: number): string | null {
    return whyNoSource(this.node(place), this.#question(NOTHING))?.reason ?? null;
  }

  /** Moves the guest to the best node of another host that stays under the thresholds; null when there is none. */
  move(guest: MovableGuest, source: number): Move | null {
    if (fitsNowhere(guest, this.#headroom)) return null;
    const target = this.#bestTarget(guest);
    if (target === null) {
      this.#renewHeadroom();
      return null;
    }
    const arrived = withGuest(target.node, guest, target.storage);
    const left = withoutGuest(this.node(source), guest);
    this.#fill(this.#nodes.indexOf(target.node), arrived);
    for (const place of this.#sharing(target)) this.#fill(place, withDisk(this.node(place), guest, target.storage));
    this.#nodes[source] = left;
    return { target, sourceAfter: loadOf(left), targetAfter: loadOf(arrived) };
  }

  #bestTarget(guest: MovableGuest): ScoredNode | null {
    const question = this.#question(placeFor(guest));
    const best = (isOpen: (node: NodeState) => boolean): ScoredNode | null =>
      this.#order[guest.type].best(question.request, (node) => {
        const isOut = node.host.id === guest.hostId || !this.#staysUnder(node, guest) || isRefusedBy(guest, node);
        if (isOut || !isOpen(node) || whyDropped(node, question) !== null) return null;
        return scoreNode(node, question.request, this.#context.settings.weights);
      });
    // A node that the guest could not come back from is for want of another.
    const returning = best((node) => leadsBack(node, question.request));
    return returning ?? best((node) => !leadsBack(node, question.request));
  }

  /** @returns the other targets whose storage is the one that the disk goes to. */
  #sharing({ node: { host, name }, storage }: ScoredNode): number[] {
    if (!storage.shared) return [];
    return this.#targets.filter((place) => {
      const other = this.node(place);
      if (other.host.id !== host.id || other.name === name) return false;
      return other.storages.some((one) => one.shared && one.name === storage.name);
    });
  }

  /** A target is hot at no time, so that no guest ever leaves it. */
  #fill(place: number, arrived: NodeState): void {
    this.#nodes[place] = arrived;
    for (const order of Object.values(this.#order)) order.change(place, arrived);
    this.#isHeadroomOld = true;
  }

  #renewHeadroom(): void {
    if (this.#isHeadroomOld) this.#headroom = greatestHeadroom(this.#targetNodes(), this.#thresholds);
    this.#isHeadroomOld = false;
  }

  #orderFor(type: GuestType): TargetOrder {
    const targets = this.#targets.map((place) => [place, this.node(place)] as const);
    return new TargetOrder(targets, type, this.#context.settings.weights);
  }

  #mayBeTarget(place: number): boolean {
    const drop = whyDropped(this.node(place), this.#question(NOTHING));
    const isFit = drop === null || OF_STORAGE.includes(drop.code);
    return isFit && this.node(place).cpuAverage !== null && !this.isHot(place);
  }

  #targetNodes(): NodeState[] {
    return this.#targets.map((place) => this.node(place));
  }

  #staysUnder(node: NodeState, guest: MovableGuest): boolean {
    return isUnder(loadWithGuest(node, guest), this.#thresholds);
  }

  #question(request: PlacementRequest): Question {
    return { request, context: this.#context, now: this.#now };
  }
}
