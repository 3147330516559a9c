// Marks a guest that no longer exists as gone, and releases its addresses, public ports and reserved capacity.
import type { PoolClient } from "pg";
import * as addresses from "../../src/store/address.js";
import * as capacity from "../../src/store/capacity.js";
import * as guests from "../../src/store/guest/record.js";
import * as forwards from "../../src/store/portForward.js";

/**
 * Repeatable. Nodes are locked before guests, guests before their addresses, as by syncs and by the deletion of an owner:
 * otherwise two transactions could wait for each other.
 */
export async function forgetGuest(client: PoolClient, guestId: number): Promise<void> {
  await forwards.lockNodesOf(client, guestId);
  await guests.markGone(client, [guestId]);
  await addresses.releaseOfGuest(client, guestId);
  // Only now no further forward can be made.
  await forwards.withdraw(client, [guestId]);
  await capacity.releaseOfGoneGuest(client, guestId);
}
