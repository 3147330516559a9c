// Ends the move by removing the temporary token.
import { removeTokensAndRulesOf } from "../../src/actions/migration/removeTokens.js";
import { MigrationStep } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import type { Step } from "../engine/step.js";
import { awaitQuietTarget } from "./tunnel.js";
import { heldJob, patiently, type MigrationFacts, type MigrationContext } from "./context.js";

const PATIENCE_MS = 20_000;

export const finished: Step<MigrationFacts> = {
  name: MigrationStep.FINISHED,
  weight: 1,
  async run(context) {
    await removeToken(context);
    return {};
  },
};

/** A target that does not let it go now is asked again by the sweep, as long as the token is in the ledger. */
export async function removeToken(context: MigrationContext): Promise<void> {
  try {
    await patiently(context, PATIENCE_MS, async () => {
      await awaitQuietTarget(context, PATIENCE_MS);
      await removeTokensAndRulesOf(context.services, heldJob(context));
    });
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof DroverError)) throw error;
    context.log.warn({ err: error }, "the temporary token is left to the sweep");
  }
}
