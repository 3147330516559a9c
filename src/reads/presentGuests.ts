// Finds the ids of all guests that are there, for subscribers who are told only that many changed.
import type { Pool } from "pg";

/** @param hostId null: of every host */
export async function presentGuestIds(pool: Pool, hostId: number | null): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>({
    name: "present guest ids",
    text: `select id from guest where gone_at is null and ($1::int is null or host_id = $1) order by id`,
    values: [hostId],
  });
  return rows.map(({ id }) => id);
}
