// Volumes that failed transfers left on their targets, by the findings of their jobs.
import { sql } from "kysely";
import { JobKind } from "../../core/enums.js";
import { rowsOf, tables, type Connection } from "../tables.js";

/** A place for a guest on a host. */
interface Place {
  readonly hostId: number;
  readonly vmid: number;
}

/** What transfers to a place left there. @returns a list for each job, as it was stored */
export async function leftAt(connection: Connection, { hostId, vmid }: Place): Promise<unknown[]> {
  const left = tables
    .selectFrom("job")
    .select(sql`facts->'leftVolumes'`.as("volumes"))
    .where("kind", "=", sql.lit(JobKind.MIGRATION))
    .where(sql<boolean>`facts ? 'leftVolumes'`)
    .where(sql<boolean>`(input->'target'->>'hostId')::int = ${hostId}`)
    .where(sql<boolean>`(input->'target'->>'vmid')::int = ${vmid}`);
  return (await rowsOf(connection, left)).map(({ volumes }) => volumes);
}
