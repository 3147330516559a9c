// The conditions of a placement: which nodes the caller may use, and the settings.
import { EVERY_HOST, type Scope } from "../access/scope.js";
import { SETTINGS } from "../settings.js";
import type { NodeSet } from "./nodeSet.js";
import type { Snapshot } from "./snapshot.js";

/** How much each part of the score counts; only their ratio matters. */
export interface Weights {
  readonly ram: number;
  readonly cpu: number;
  readonly storage: number;
}

export interface PlacementSettings {
  readonly weights: Weights;
  /** An agent that was silent for longer is stale, seconds. */
  readonly agentStaleSeconds: number;
  /** An inventory that is older is stale, seconds. */
  readonly inventoryStaleSeconds: number;
}

/** The nodes, and the settings in force. */
export interface LoadedSnapshot {
  readonly snapshot: Snapshot;
  readonly settings: PlacementSettings;
}

/** Nodes that do not match scope, host and node are invisible; those that fail a rule are dropped, with the reason. */
export interface PlacementContext {
  readonly settings: PlacementSettings;
  readonly scope: Scope;
  /** Only nodes of this host; null: of every host in scope. */
  readonly hostId: number | null;
  /** Only this node, named by the caller, who answers for the choice: rules about the quality of data do not apply. */
  readonly node: string | null;
  /** No node of this host, because the guest is to leave it. */
  readonly exceptHostId: number | null;
  /** The nodes assigned to the reseller who creates; null: every node. */
  readonly assignedNodes: NodeSet | null;
  /** The nodes that can use the chosen template; null: no template was chosen. */
  readonly templateNodes: NodeSet | null;
  /** The architecture that the chosen template is built for; null: not known, or no template was chosen. */
  readonly templateArchitecture: string | null;
  /** The VMID that the guest must have, and the hosts where it is taken; null: any free one does. */
  readonly wantedVmid: WantedVmid | null;
}

interface WantedVmid {
  readonly vmid: number;
  readonly takenOn: ReadonlySet<number>;
}

export const DEFAULT_WEIGHTS: Weights = {
  ram: SETTINGS.ramWeight.initial,
  cpu: SETTINGS.cpuWeight.initial,
  storage: SETTINGS.storageWeight.initial,
};

export const DEFAULT_PLACEMENT_SETTINGS: PlacementSettings = {
  weights: DEFAULT_WEIGHTS,
  agentStaleSeconds: 180,
  inventoryStaleSeconds: 300,
};

/** Every node of every host, under the default settings. */
export const EVERY_NODE: PlacementContext = {
  settings: DEFAULT_PLACEMENT_SETTINGS,
  scope: EVERY_HOST,
  hostId: null,
  node: null,
  exceptHostId: null,
  assignedNodes: null,
  templateNodes: null,
  templateArchitecture: null,
  wantedVmid: null,
};

/** @returns what is wrong with weights, as the end of a sentence that names them; null when nothing is. */
export function weightsFault({ ram, cpu, storage }: Weights): string | null {
  const weights = [ram, cpu, storage];
  if (!weights.every((weight) => Number.isFinite(weight) && weight >= 0)) return "must be numbers of at least 0";
  return weights.every((weight) => weight === 0) ? "must not all be 0" : null;
}
