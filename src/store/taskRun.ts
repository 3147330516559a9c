// Writes when each periodic task last ran, and how it ended.
import { tables, written, type Connection } from "./tables.js";

/** Records that a task begins. Its last failure is forgotten until this run has ended. */
export async function beginTaskRun(connection: Connection, name: string, at: Date): Promise<void> {
  const begun = { started_at: at, error: null };
  const insert = tables.insertInto("task_run").values({ name, ...begun });
  await written(
    connection,
    insert.onConflict((conflict) => conflict.column("name").doUpdateSet(begun)),
  );
}

/** Records that a task is done. */
export async function finishTaskRun(connection: Connection, name: string, at: Date): Promise<void> {
  await written(connection, tables.updateTable("task_run").set({ finished_at: at }).where("name", "=", name));
}

/** Records why a task failed. */
export async function failTaskRun(connection: Connection, name: string, error: string): Promise<void> {
  await written(connection, tables.updateTable("task_run").set({ error }).where("name", "=", name));
}
