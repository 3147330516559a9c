// Ends the move by removing the temporary token.
import { MigrationStep } from "../../src/core/enums.js";
import type { Step } from "../engine/step.js";
import type { MigrationFacts } from "./context.js";
import { removeToken } from "./removeToken.js";

export const finished: Step<MigrationFacts> = {
  name: MigrationStep.FINISHED,
  weight: 1,
  async run(context) {
    await removeToken(context);
    return {};
  },
};
