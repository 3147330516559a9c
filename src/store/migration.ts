// Migrations: their state, progress and outcome.
import type { MigrationMode } from "../core/enums.js";
import { insertionOfOriginal } from "./guest/moved.js";
import { tables, written, type Connection } from "./tables.js";

/** Records the original of a guest that has moved, in a row of its own that the migration refers to. */
export async function recordOriginal(
  connection: Connection,
  migrationId: number,
  original: Parameters<typeof insertionOfOriginal>[0],
): Promise<void> {
  await written(
    connection,
    tables
      .with("original", () => insertionOfOriginal(original))
      .updateTable("migration")
      .from("original")
      .set((row) => ({ safety_copy_guest_id: row.ref("original.id") }))
      .where("migration.id", "=", migrationId),
  );
}

/** Changes how a job's migration moves the guest. */
export async function setMode(connection: Connection, jobId: number, mode: MigrationMode): Promise<void> {
  await written(
    connection,
    tables.updateTable("migration").set({ mode }).where("job_id", "=", jobId).where("mode", "<>", mode),
  );
}
