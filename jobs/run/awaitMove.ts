// Waits for the end of a migration, whoever carries it out.
import { waitForEvent } from "../../src/events/waitForEvent.js";
import { MigrationStatus } from "../../src/core/enums.js";
import * as migrations from "../../src/store/migration.js";
import type { StepContext } from "../engine/step.js";

/** How a migration stands. */
export type MigrationState = migrations.Standing;

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
    const state = await migrations.standingOf(pool, migrationId);
    return state === null || ENDED.includes(state.status) ? { state } : null;
  });
  return ended?.state ?? null;
}
