// Removes the temporary token of a move when the move has ended.
import { removeTokensAndRulesOf } from "./removeTokens.js";
import { DroverError } from "../../src/errors/errors.js";
import { awaitQuietTarget } from "./tunnel.js";
import { heldJob, retryTransient, type MigrationContext } from "./context.js";

const PATIENCE_MS = 20_000;

/** A target that does not let it go now is asked again by the sweep, as long as the token is in the ledger. */
export async function removeToken(context: MigrationContext): Promise<boolean> {
  try {
    await retryTransient(context, PATIENCE_MS, async () => {
      await awaitQuietTarget(context, PATIENCE_MS);
      await removeTokensAndRulesOf(context.services, heldJob(context));
    });
    return true;
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof DroverError)) throw error;
    context.log.warn({ err: error }, "the temporary token is left to the sweep");
    return false;
  }
}
