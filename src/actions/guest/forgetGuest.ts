// Removes a guest that no longer exists from the inventory and releases its addresses, public ports and reserved room.
import type { PoolClient } from "pg";
import { withdrawForwards } from "../host/withdrawForwards.js";

const NODES = `
  select 1 from node where id = (select node_id from guest where id = $1)
    or id in (select node_id from port_forward where guest_id = $1) order by id for no key update`;

/**
 * The row stays as a tombstone. Repeatable; `now` is the service's time. Nodes are held before guests, guests before their
 * addresses, as by syncs and by the deletion of an owner: else two that meet would wait for each other.
 */
export async function forgetGuest(client: PoolClient, guestId: number, now: Date): Promise<void> {
  await client.query(NODES, [guestId]);
  await client.query(`update guest set gone_at = $2, status = 'unknown' where id = $1 and gone_at is null`, [
    guestId,
    now,
  ]);
  await client.query(`delete from ip_address where guest_id = $1`, [guestId]);
  // Only now nobody gives it another one.
  await withdrawForwards(client, [guestId]);
  await giveBackRoom(client, guestId);
}

/** Room that its creation or its move took stays promised until a sync has seen it in use: this guest will never use it. */
async function giveBackRoom(client: PoolClient, guestId: number): Promise<void> {
  await client.query(
    `delete from capacity_reservation r using job j
     where j.guest_id = $1 and j.finished_at is not null and r.job_id = j.id`,
    [guestId],
  );
}
