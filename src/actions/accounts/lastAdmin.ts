// Keeps the service from being left without an admin who can sign in.
import { DroverError } from "../../errors/errors.js";
import type { Connection } from "../../store/tables.js";
import * as users from "../../store/user.js";

/**
 * Holds all admins until the transaction ends, so that of two who remove each other one stays.
 * @throws DroverError `conflict` (`LAST_ADMIN`) when this account is the only enabled admin
 */
export async function refuseLastAdmin(connection: Connection, id: number): Promise<void> {
  const admins = await users.holdAdmins(connection);
  if (admins.length === 1 && admins.includes(id))
    throw new DroverError("conflict", "This is the last admin who can sign in", { reason: "LAST_ADMIN" });
}
