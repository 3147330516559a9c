// Records the progress of each guest of a run. Every write is fenced by the lease, so that a stalled worker writes nothing.
import type { PoolClient } from "pg";
import type { RunItemStatus } from "../../src/core/enums.js";
import { inFencedTransaction } from "../engine/journal.js";
import { Drained, type StepContext } from "../engine/step.js";
import type { RunRecord } from "./run.js";

/** The guest whose turn it is. */
export interface RunItem {
  readonly id: number;
  readonly guestId: number;
  readonly vmid: number;
  readonly fromHostId: number;
  readonly fromNode: string;
  /** Null while no node had room. */
  readonly toHostId: number | null;
  readonly toNode: string | null;
  /** Null while it has not been started. */
  readonly migrationId: number | null;
}

/** How a guest's turn ended. */
export interface Settlement {
  readonly status: Exclude<RunItemStatus, "waiting" | "running">;
  readonly reason: string | null;
}

/** Where a guest goes after all. */
export interface Destination {
  readonly hostId: number;
  readonly node: string;
  readonly storage: string | null;
}

const COLUMNS = `id, guest_id as "guestId", vmid, from_host_id as "fromHostId", from_node as "fromNode", to_host_id as "toHostId",
  to_node as "toNode", migration_id as "migrationId"`;

/** The guest whose turn it is already, or else the next one; null when every guest is settled. @throws Fenced, Drained */
export const currentItem = (context: StepContext, run: RunRecord): Promise<RunItem | null> =>
  holding(context, async (client) => {
    // Stop takes the same lock: a guest has its turn, or is skipped.
    await client.query(`select from run where id = $1 for update`, [run.id]);
    const begun = await client.query<RunItem>(
      `select ${COLUMNS} from run_item where run_id = $1 and status = 'running'`,
      [run.id],
    );
    if (begun.rows[0] !== undefined) return begun.rows[0];
    const drained = await client.query(`select from drain`);
    if (drained.rowCount !== 0) throw new Drained("the work is drained");
    const { rows } = await client.query<RunItem>(
      `update run_item set status = 'running', started_at = service_now() where id =
         (select id from run_item where run_id = $1 and status = 'waiting' order by position limit 1)
       returning ${COLUMNS}`,
      [run.id],
    );
    return rows[0] ?? null;
  });

/** Notes where the guest goes, before its migration is started. @throws Fenced */
export const directItem = (
  context: StepContext,
  item: RunItem,
  { hostId, node, storage }: Destination,
): Promise<void> =>
  holding(context, async (client) => {
    await client.query(
      `update run_item set to_host_id = $2, to_node = $3, to_storage = $4 where id = $1 and status = 'running'`,
      [item.id, hostId, node, storage],
    );
  });

/** Notes the migration that moves the guest. @throws Fenced */
export const attachMigration = (context: StepContext, item: RunItem, migrationId: number): Promise<void> =>
  holding(context, async (client) => {
    await client.query(
      `update run_item i set migration_id = m.id, to_host_id = m.target_host_id, to_node = m.target_node
       from migration m where i.id = $1 and i.status = 'running' and m.id = $2`,
      [item.id, migrationId],
    );
  });

/** Ends the guest's turn. @returns how many of the run's guests are settled, 0..1 @throws Fenced */
export const settleItem = (context: StepContext, item: RunItem, { status, reason }: Settlement): Promise<number> =>
  holding(context, async (client) => {
    const { rows } = await client.query<{ share: number }>(
      `with settled as (
         update run_item set status = $2, reason = $3, finished_at = service_now() where id = $1 and status = 'running' returning run_id)
       select (count(*) filter (where i.id = $1 or i.status not in ('waiting', 'running')) / count(*)::float8) as share
       from run_item i where i.run_id = (select run_id from run_item where id = $1)`,
      [item.id, status, reason],
    );
    return rows[0]?.share ?? 0;
  });

const holding = <Result>(
  { services, job }: StepContext,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> => inFencedTransaction(services.pool, job, work);
