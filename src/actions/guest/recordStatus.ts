// Records the status that a look at a single guest found, ahead of the next sync.
import type { Pool, PoolClient } from "pg";
import type { GuestStatus } from "../../core/enums.js";
import { guestLockSql } from "../../core/guest/lock.js";

/** What was seen of which guest. */
interface SeenStatus {
  /** Id of the guest in the service. */
  readonly id: number;
  readonly status: GuestStatus;
  readonly at: Date;
}

const RECORD = `
  update guest set status = $2,
    started_at = case when $2 = 'stopped' then null when status = 'stopped' then $3 else started_at end,
    cpu_usage = case when $2 <> 'stopped' then cpu_usage end,
    memory_used_mb = case when $2 <> 'stopped' then memory_used_mb end
  where id = $1 and gone_at is null and status <> $2`;

const IS_FREE = `not exists (select 1 from resource_lock l where l.key = ${guestLockSql("guest")})`;

/** For the job that holds the guest. */
export async function recordStatus(client: PoolClient, { id, status, at }: SeenStatus): Promise<void> {
  await client.query(RECORD, [id, status, at]);
}

/** For everybody else: a guest that a job holds is that job's to write. */
export async function recordStatusOfFree(pool: Pool, { id, status, at }: SeenStatus): Promise<void> {
  await pool.query(`${RECORD} and ${IS_FREE}`, [id, status, at]);
}
