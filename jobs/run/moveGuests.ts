// Moves the guests of a run one at a time, from wherever an earlier worker left off.
import { pauseUnlessAborted } from "../../src/concurrency/pause.js";
import { RunItemStatus } from "../../src/core/enums.js";
import { DroverError } from "../../src/errors/errors.js";
import { Drained, Fenced, type JobFacts, type Step, type StepContext } from "../engine/step.js";
import { awaitMove } from "./awaitMove.js";
import { attachMigration, currentItem, settleItem } from "./items.js";
import type { Turn, Settlement } from "../../src/store/run/turn.js";
import type { RunRecord } from "../../src/store/run/run.js";
import { runOf } from "./run.js";
import { settlementOf } from "./settlement.js";
import { startItem } from "./startMove.js";

/** A turn that the service itself could not take, because the database was away say, is taken again so often. */
const MOST_FAILURES = 5;
const PAUSE_MS = 1_000;

export const moveGuests: Step<JobFacts> = {
  name: "moveGuests",
  weight: 1,
  async run(context) {
    const run = await runOf(context.services.pool, context.job.id);
    for (let failures = 0; ;) {
      try {
        context.signal.throwIfAborted();
        if (!(await nextTurn(context, run))) return {};
        failures = 0;
      } catch (error) {
        if (error instanceof Fenced || error instanceof Drained) throw error;
        if (context.signal.aborted || ++failures > MOST_FAILURES) throw error;
        context.log.warn({ err: error }, "a guest's turn was interrupted and is taken again");
        await pauseUnlessAborted(context, failures * PAUSE_MS);
      }
    }
  },
};

/** @returns whether there was a guest left */
async function nextTurn(context: StepContext, run: RunRecord): Promise<boolean> {
  const item = await currentItem(context, run);
  if (item === null) return false;
  await context.progress(await settleItem(context, item, await takeTurn(context, run, item)));
  return true;
}

async function takeTurn(context: StepContext, run: RunRecord, item: Turn): Promise<Settlement> {
  const started = item.migrationId ?? (await startOrSkip(context, run, item));
  if (typeof started !== "number") return started;
  if (item.migrationId === null) await attachMigration(context, item, started);
  return settlementOf(context, await awaitMove(context, started));
}

/** A refusal, as of a host that does not answer, comes before anything is moved: the guest is skipped, the others go on. */
async function startOrSkip(context: StepContext, run: RunRecord, item: Turn): Promise<number | Settlement> {
  try {
    return await startItem(context, run, item);
  } catch (error) {
    if (!(error instanceof DroverError)) throw error;
    return { status: RunItemStatus.SKIPPED, reason: error.message };
  }
}
