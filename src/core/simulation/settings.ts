// Reads the settings of a simulation's JSON; each simulation refuses what is wrong with any of them, also those of the other.
import type { BalanceSettings } from "../balance/board.js";
import { DEFAULT_THRESHOLDS } from "../balance/load.js";
import { DEFAULT_MAX_SUGGESTIONS } from "../balance/suggest.js";
import { BalanceMode } from "../enums.js";
import { COUNT, type JsonReader } from "./jsonReader.js";
import { readPlacementSettings } from "./snapshot.js";

const MODES = [BalanceMode.SMALLEST_FIRST, BalanceMode.FEWEST_MOVES, BalanceMode.LEAST_COPY] as const;
const PERCENT = { least: 0, most: 100 };

/** @returns the settings, with the defaults for what is left out. */
export function readSettings(input: JsonReader): BalanceSettings {
  const settings = input.object("settings");
  return {
    placement: readPlacementSettings(input),
    thresholds: {
      ramPercent: settings.number("ram_threshold", PERCENT, DEFAULT_THRESHOLDS.ramPercent),
      cpuPercent: settings.number("cpu_threshold", PERCENT, DEFAULT_THRESHOLDS.cpuPercent),
    },
    maxSuggestions: settings.number("max_suggestions", COUNT, DEFAULT_MAX_SUGGESTIONS),
    mode: settings.has("mode") ? settings.oneOf("mode", MODES) : BalanceMode.SMALLEST_FIRST,
  };
}
