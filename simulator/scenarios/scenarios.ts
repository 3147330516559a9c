// Names the scenarios that a simulated host can start with.
import { demo } from "./demo.js";
import { empty } from "./empty.js";
import type { Scenario } from "./scenario.js";

export const scenarios = { empty, demo } satisfies Record<string, Scenario>;
export type ScenarioName = keyof typeof scenarios;
