// Records runs and stops them: evacuations and balance runs, each a job with the guests that it moves one at a time.
import type { PoolClient } from "pg";
import type { Context } from "../../context/context.js";
import type { Scope } from "../../core/access/scope.js";
import { JobKind } from "../../core/enums.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, notFound } from "../../errors/errors.js";
import { insertJob } from "../../store/job/job.js";
import { createdBy } from "../../job/insertJob.js";
import { versionOf } from "../../job/kinds.js";
import * as runs from "../../store/run/run.js";
import type { EvacuationRoute } from "../../run/evacuationRequest.js";
import type { NamedGuest } from "../../run/movableGuests.js";

/** One guest's place in a run. */
export interface PlannedItem {
  readonly guest: NamedGuest;
  /** Null while no node has room: looked for again at the guest's turn. */
  readonly to: { readonly hostId: number; readonly node: string; readonly storage: string | null } | null;
}

interface NewRun {
  readonly kind: typeof JobKind.EVACUATION | typeof JobKind.BALANCE_RUN;
  /** Null for a balance run. */
  readonly route: EvacuationRoute | null;
  /** Hosts that guests may go to. */
  readonly scope: Scope;
  /** In the order of their turns. */
  readonly items: readonly PlannedItem[];
}

/**
 * Makes the run with its job; the caller commits, then wakes a worker.
 * @throws DroverError conflict (`GUEST_BUSY`) when another run took one of the guests at the same time
 */
export async function insertRun(
  { viewer }: Pick<Context, "viewer">,
  client: PoolClient,
  run: NewRun,
): Promise<{ runId: number; jobId: number }> {
  const { userId, tokenId } = createdBy(viewer);
  const jobId = await insertJob(client, {
    kind: run.kind,
    version: versionOf(run.kind),
    host_id: run.route?.hostId ?? null,
    node: run.route?.node ?? null,
    progress: 0,
    created_by_user: userId,
    created_by_token: tokenId,
  });
  const { hostId = null, node = null, targetHostId = null, targetNode = null, ipZoneId = null } = run.route ?? {};
  const route = { hostId, node, targetHostId, targetNode, ipZoneId };
  const dropPortForwards = run.route?.dropPortForwards ?? false;
  const runId = await runs.insert(client, { kind: run.kind, jobId, ...route, dropPortForwards, scope: run.scope });
  if (!(await runs.insertItems(client, runId, run.items))) {
    throw new DroverError("conflict", "a guest waits for its turn in another run", { reason: "GUEST_BUSY" });
  }
  return { runId, jobId };
}

/** The guest that moves goes on, the others are skipped at once; a run that has ended stays as it is. @throws DroverError notFound */
export async function stopRun({ pool }: Pick<Context, "pool">, kind: NewRun["kind"], runId: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    const run = await runs.lockOfKind(client, kind, runId);
    if (run === null) throw notFound(`${kind === JobKind.EVACUATION ? "Evacuation" : "Balance run"} ${runId}`);
    if (run.active) await runs.stop(client, runId);
  });
}
