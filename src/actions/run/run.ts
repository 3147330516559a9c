// Records runs and stops them: evacuations and balance runs, each a job with the guests that it moves one at a time.
import type { PoolClient } from "pg";
import type { Context } from "../../context/context.js";
import type { Scope } from "../../core/access/scope.js";
import { JobKind } from "../../core/enums.js";
import { insertedId } from "../../db/insertedId.js";
import { inTransaction } from "../../db/transaction.js";
import { DroverError, notFound } from "../../errors/errors.js";
import { insertJob } from "../../store/job/job.js";
import { createdBy } from "../insertJob.js";
import { versionOf } from "../stored/kinds.js";
import type { EvacuationRoute } from "./evacuationRequest.js";
import type { KnownGuest } from "./movableGuests.js";

/** One guest's place in a run. */
export interface PlannedItem {
  readonly guest: KnownGuest;
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

/** Runs start one after the other: two plans made at once would promise the same room. Held until the transaction ends. */
export async function lockRuns(client: PoolClient): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtext('runs'))`);
}

/** Makes the run with its job; the caller commits, then wakes a worker. */
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
  const runId = await insertedId<number>(
    client.query(
      `insert into run (kind, job_id, host_id, node, target_host_id, target_node, ip_zone_id, drop_port_forwards, host_scope)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
      [
        run.kind,
        jobId,
        run.route?.hostId ?? null,
        run.route?.node ?? null,
        run.route?.targetHostId ?? null,
        run.route?.targetNode ?? null,
        run.route?.ipZoneId ?? null,
        run.route?.dropPortForwards ?? false,
        run.scope,
      ],
    ),
  );
  await insertItems(client, runId, run.items);
  return { runId, jobId };
}

/** @throws DroverError conflict (`GUEST_BUSY`) when another run took one of the guests at the same time */
async function insertItems(client: PoolClient, runId: number, items: readonly PlannedItem[]): Promise<void> {
  const rows = items.map(({ guest, to }, position) => ({
    position,
    guest_id: guest.id,
    guest_name: guest.name,
    vmid: guest.vmid,
    from_host_id: guest.hostId,
    from_node: guest.node,
    to_host_id: to?.hostId ?? null,
    to_node: to?.node ?? null,
    to_storage: to?.storage ?? null,
  }));
  const { rowCount } = await client.query(
    `insert into run_item (run_id, position, guest_id, guest_name, vmid, from_host_id, from_node, to_host_id, to_node, to_storage)
     select $1, i.position, i.guest_id, i.guest_name, i.vmid, i.from_host_id, i.from_node, i.to_host_id, i.to_node, i.to_storage
     from json_populate_recordset(null::run_item, $2) i on conflict do nothing`,
    [runId, JSON.stringify(rows)],
  );
  if (rowCount === items.length) return;
  throw new DroverError("conflict", "a guest waits for its turn in another run", { reason: "GUEST_BUSY" });
}

/** The guest that moves goes on, the others are skipped at once; a run that has ended stays as it is. @throws DroverError notFound */
export async function stopRun({ pool }: Pick<Context, "pool">, kind: NewRun["kind"], runId: number): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ active: boolean }>(
      `select finished_at is null as active from run where id = $1 and kind = $2 for update`,
      [runId, kind],
    );
    const [run] = rows;
    if (run === undefined) throw notFound(`${kind === JobKind.EVACUATION ? "Evacuation" : "Balance run"} ${runId}`);
    if (!run.active) return;
    await client.query(`update run set stop_requested_at = coalesce(stop_requested_at, service_now()) where id = $1`, [
      runId,
    ]);
    await client.query(
      `update run_item set status = 'skipped', reason = 'the run was stopped before its turn', finished_at = service_now()
       where run_id = $1 and status = 'waiting'`,
      [runId],
    );
  });
}
