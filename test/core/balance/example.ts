// A hot node, a cool one, guests that can move, and the report on them, to be changed one way a test.
import type { BalanceSettings } from "../../../src/core/balance/board.js";
import type { MovableGuest } from "../../../src/core/migration/movableGuest.js";
import { suggestMoves } from "../../../src/core/balance/suggest.js";
import { DEFAULT_PLACEMENT_SETTINGS } from "../../../src/core/placement/context.js";
import type { NodeState } from "../../../src/core/placement/snapshot.js";
import { host, node, snapshot } from "../placement/example.js";

export const settings: BalanceSettings = {
  placement: DEFAULT_PLACEMENT_SETTINGS,
  thresholds: { ramPercent: 80, cpuPercent: 85 },
  maxSuggestions: 10,
  mode: "smallest_first",
};

export const guest = (change: Partial<MovableGuest> = {}): MovableGuest => ({
  hostId: 1,
  node: "hot",
  vmid: 100,
  type: "qemu",
  running: true,
  cores: 2,
  memoryMb: 8_192,
  diskGb: 20,
  storage: null,
  memoryUsedMb: 8_192,
  coresUsed: 1,
  obstacle: null,
  ...change,
});

/** 64 GiB: 52428.8 MiB are 80 %. */
export const hot = (change: Partial<NodeState> = {}): NodeState =>
  node({ name: "hot", memoryUsedMb: 57_344, ...change });
export const beta = host({ id: 2, name: "beta" });
export const gamma = host({ id: 3, name: "gamma" });
export const cool = (change: Partial<NodeState> = {}): NodeState => node({ host: beta, name: "cool", ...change });

export const report = (nodes: NodeState[], guests: MovableGuest[], change: Partial<BalanceSettings> = {}) =>
  suggestMoves(snapshot(...nodes), guests, { ...settings, ...change });

export const movesOf = (...given: Parameters<typeof report>) =>
  report(...given).suggestions.map((one) => `${one.guest.vmid} -> ${one.toHostId}/${one.toNode}`);
