// Ends the move by removing the temporary token.
import { removeTokensAndRulesOf } from "../../src/actions/migration/removeTokens.js";
import { MigrationStep } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors.js";
import type { Step } from "../step.js";
import { awaitQuietTarget } from "./tunnel.js";
import { patiently, type MigrationFacts, type MigrationWorld } from "./world.js";

const PATIENCE_MS = 20_000;

export const finished: Step<MigrationFacts> = {
  name: MigrationStep.FINISHED,
  weight: 1,
  async run(world) {
    await removeToken(world);
    return {};
  },
};

/** A target that does not let it go now is asked again by the sweep, as long as the token is in the ledger. */
export async function removeToken(world: MigrationWorld): Promise<void> {
  try {
    await patiently(world, PATIENCE_MS, async () => {
      await awaitQuietTarget(world, PATIENCE_MS);
      await removeTokensAndRulesOf(world.services, world.job.id);
    });
  } catch (error) {
    world.signal.throwIfAborted();
    if (!(error instanceof DroverError)) throw error;
    world.log.warn({ err: error }, "the temporary token is left to the sweep");
  }
}
