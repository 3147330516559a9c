// Reads the settings of a simulation's JSON; each simulation refuses what is wrong with any of them, also those of the other.
import type { BalanceSettings } from "../../../src/core/balance/board.js";
import { DEFAULT_THRESHOLDS } from "../../../src/core/balance/load.js";
import { DEFAULT_MAX_SUGGESTIONS } from "../../../src/core/balance/suggest.js";
import { BalanceMode } from "../../../src/core/enums.js";
import {
  DEFAULT_PLACEMENT_SETTINGS,
  DEFAULT_WEIGHTS,
  weightsFault,
  type PlacementSettings,
  type Weights,
} from "../../../src/core/placement/context.js";
import { ANY_AMOUNT, COUNT, type JsonReader } from "./jsonReader.js";

const MODES = [BalanceMode.SMALLEST_FIRST, BalanceMode.FEWEST_MOVES, BalanceMode.LEAST_COPY] as const;
const PERCENT = { least: 0, most: 100 };

/** @returns the settings, with the defaults for what is left out. */
export function readSettings(input: JsonReader): BalanceSettings {
  const settings = input.object("settings");
  return {
    placement: readPlacementSettings(settings),
    thresholds: {
      ramPercent: settings.number("ram_threshold", PERCENT, DEFAULT_THRESHOLDS.ramPercent),
      cpuPercent: settings.number("cpu_threshold", PERCENT, DEFAULT_THRESHOLDS.cpuPercent),
    },
    maxSuggestions: settings.number("max_suggestions", COUNT, DEFAULT_MAX_SUGGESTIONS),
    mode: settings.has("mode") ? settings.oneOf("mode", MODES) : BalanceMode.SMALLEST_FIRST,
  };
}

function readPlacementSettings(settings: JsonReader): PlacementSettings {
  return {
    ...DEFAULT_PLACEMENT_SETTINGS,
    weights: readWeights(settings),
    agentStaleSeconds: settings.number("agent_stale_s", ANY_AMOUNT, DEFAULT_PLACEMENT_SETTINGS.agentStaleSeconds),
  };
}

function readWeights(settings: JsonReader): Weights {
  const reader = settings.object("weights");
  const weights = {
    ram: reader.number("ram", ANY_AMOUNT, DEFAULT_WEIGHTS.ram),
    cpu: reader.number("cpu", ANY_AMOUNT, DEFAULT_WEIGHTS.cpu),
    storage: reader.number("storage", ANY_AMOUNT, DEFAULT_WEIGHTS.storage),
  };
  const fault = weightsFault(weights);
  if (fault !== null) settings.refuse("weights", fault);
  return weights;
}
