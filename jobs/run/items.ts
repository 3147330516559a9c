// Records the progress of each guest of a run. Every write is fenced by the lease, so that a stalled worker writes nothing.
import type { PoolClient } from "pg";
import * as runs from "../../src/store/run/run.js";
import * as turns from "../../src/store/run/turn.js";
import type { Destination, Settlement, Turn } from "../../src/store/run/turn.js";
import * as workers from "../../src/store/worker.js";
import { inFencedTransaction } from "../engine/journal.js";
import { Drained, type StepContext } from "../engine/step.js";
import type { RunRecord } from "../../src/store/run/run.js";

/** The guest whose turn it is already, or else the next one; null when every guest is settled. @throws Fenced, Drained */
export const currentItem = (context: StepContext, run: RunRecord): Promise<Turn | null> =>
  holding(context, async (client) => {
    // A stop takes the same lock: a guest has its turn, or is skipped.
    await runs.lock(client, run.id);
    const begun = await turns.current(client, run.id);
    if (begun !== null) return begun;
    if (await workers.isDrained(client)) throw new Drained("the work is drained");
    return turns.beginNext(client, run.id);
  });

/** Records where the guest goes, before its migration is started. @throws Fenced */
export const directItem = (context: StepContext, item: Turn, destination: Destination): Promise<void> =>
  holding(context, (client) => turns.setDestination(client, item.id, destination));

/** Records the migration that moves the guest. @throws Fenced */
export const attachMigration = (context: StepContext, item: Turn, migrationId: number): Promise<void> =>
  holding(context, (client) => turns.setMigration(client, item.id, migrationId));

/** Ends the guest's turn. @returns how many of the run's guests are settled, 0..1 @throws Fenced */
export const settleItem = (context: StepContext, item: Turn, settlement: Settlement): Promise<number> =>
  holding(context, (client) => turns.settle(client, item.id, settlement));

const holding = <Result>(
  { services, job }: StepContext,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> => inFencedTransaction(services.pool, job, work);
