// VMIDs that a host has refused for a new guest: somebody has them whom the connection does not see. They are not chosen for a while.
import { sql } from "kysely";
import { tables, written, type Connection } from "./tables.js";

/** After this a refused VMID is tried again: whatever had it may be gone. */
const OUT_FOR = sql<Date>`now() + interval '1 hour'`;

interface Refusal {
  readonly hostId: number;
  readonly vmids: readonly number[];
}

/** Records that the host has these VMIDs already; refused once more, they are out for longer. */
export async function record(connection: Connection, { hostId, vmids }: Refusal): Promise<void> {
  // In order, so that two who record the same at once do not wait for each other.
  const rows = vmids.toSorted((a, b) => a - b).map((vmid) => ({ host_id: hostId, vmid, until: OUT_FOR }));
  if (rows.length === 0) return;
  await written(
    connection,
    tables
      .insertInto("vmid_refusal")
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(["host_id", "vmid"]).doUpdateSet((row) => ({ until: row.ref("excluded.until") })),
      ),
  );
}

/** Part of a statement: VMIDs that may be tried again. */
export const deletionOfExpired = tables.deleteFrom("vmid_refusal").where("until", "<", sql<Date>`now()`);
