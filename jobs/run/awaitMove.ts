// Waits for the end of a migration, whoever carries it out.
import type { Pool } from "pg";
import { waitForEvent } from "../../src/events/waitForEvent.js";
import { MigrationStatus, type GuestType } from "../../src/core/enums.js";
import type { StepContext } from "../engine/step.js";

/** How a migration stands. */
export interface MigrationState {
  readonly id: number;
  readonly status: MigrationStatus;
  readonly error: string | null;
  readonly transferDone: boolean;
  /** What went wrong after the transfer. */
  readonly warnings: readonly string[];
  readonly type: GuestType;
  readonly vmid: number;
  readonly sourceHostId: number;
  readonly targetHostId: number;
  readonly targetVmid: number;
}

const ENDED: readonly MigrationStatus[] = [
  MigrationStatus.DONE,
  MigrationStatus.DONE_WITH_WARNINGS,
  MigrationStatus.FAILED,
];

/** @returns the ended migration; null when its record is gone @throws the signal's reason when the waiting is ended */
export async function awaitMove(
  { services: { pool, events }, signal }: StepContext,
  migrationId: number,
): Promise<MigrationState | null> {
  const awaited = { topic: "migration", id: migrationId, signal } as const;
  const ended = await waitForEvent(events, awaited, async () => {
    const state = await look(pool, migrationId);
    return state === null || ENDED.includes(state.status) ? { state } : null;
  });
  return ended?.state ?? null;
}

async function look(pool: Pool, migrationId: number): Promise<MigrationState | null> {
  const { rows } = await pool.query<MigrationState>(
    `select m.id, m.status, m.error, m.transfer_done as "transferDone", m.guest_type as type, m.vmid,
       m.source_host_id as "sourceHostId", m.target_host_id as "targetHostId", m.target_vmid as "targetVmid",
       array(select s.error from job_step s where s.job_id = m.job_id and s.status = 'warned' order by s.position) as warnings
     from migration m where m.id = $1`,
    [migrationId],
  );
  return rows[0] ?? null;
}
