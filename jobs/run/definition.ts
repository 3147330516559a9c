// Evacuations and balance runs are jobs of one step; how far they are stands in the run's guests.
import { JobKind } from "../../src/core/enums.js";
import { define } from "../engine/step.js";
import { moveGuests } from "./moveGuests.js";

/** Guests that have moved stay where they are. */
const nothingToRollBack = (): Promise<null> => Promise.resolve(null);

export const evacuation = define({ kind: JobKind.EVACUATION, steps: [moveGuests], undo: nothingToRollBack });
export const balanceRun = define({ kind: JobKind.BALANCE_RUN, steps: [moveGuests], undo: nothingToRollBack });
