// Chooses how a guest moves, and says what its users will notice.
import { GuestStatus, GuestType, MigrationMode } from "../enums.js";
import { describeDuration } from "./estimate.js";

/** @returns the mode for a guest of this type and status; a paused machine has running state to carry along as well. */
export function migrationMode(type: GuestType, status: GuestStatus): MigrationMode {
  if (status !== GuestStatus.RUNNING && status !== GuestStatus.PAUSED) return MigrationMode.OFFLINE;
  return type === GuestType.QEMU ? MigrationMode.LIVE : MigrationMode.RESTART;
}

/** @returns the announced downtime. @param expectedSeconds of the whole move; null: unknown. */
export function describeDowntime(mode: MigrationMode, expectedSeconds: number | null): string {
  return NOTICED[mode](describeDuration(expectedSeconds));
}

const NOTICED: Readonly<Record<MigrationMode, (duration: string) => string>> = {
  [MigrationMode.LIVE]: () => "a brief pause at the final switchover",
  [MigrationMode.RESTART]: (duration) => `stopped for the transfer, then started on the target: ${duration}`,
  [MigrationMode.OFFLINE]: (duration) => `stopped, not to be started during the transfer: ${duration}`,
};
