// Evacuations and balance runs are jobs of one step; how far they are stands in the run's guests. Nothing is undone:
// guests that have moved stay where they are.
import { JobKind } from "../../src/core/enums.js";
import { define } from "../engine/step.js";
import { moveGuests } from "./moveGuests.js";

export const evacuation = define({ kind: JobKind.EVACUATION, steps: [moveGuests] });
export const balanceRun = define({ kind: JobKind.BALANCE_RUN, steps: [moveGuests] });
