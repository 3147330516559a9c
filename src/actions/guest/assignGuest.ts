// Gives a guest to a user.
import type { PoolClient } from "pg";
import { permit, permitHost } from "../../access/permit.js";
import type { Context } from "../../context/context.js";
import { Permission } from "../../core/access/permissions.js";
import { inTransaction } from "../../db/transaction.js";
import { notFound } from "../../errors/errors.js";
import * as guests from "../../store/guest/record.js";
import * as users from "../../store/user.js";
import { guestBusy, holdGuest, refuseUnchangeable, type GuestReference } from "./findGuest.js";
import { mayOwn } from "../../access/owner.js";
import { findUser } from "../accounts/findUser.js";

/**
 * @returns the guest's id in the service
 * @throws DroverError `notFound` (guest; user, also one who may not own it), `conflict` (`GUEST_BUSY`, `SAFETY_COPY`, `IS_TEMPLATE`)
 */
export async function assignGuest(context: Context, userId: number, reference: GuestReference): Promise<number> {
  permit(context, Permission.USERS_MANAGE);
  permitHost(context, reference.hostId);
  const { id: ownerId, role, createdBy } = await findUser(context, userId);
  if (!mayOwn(context.viewer, { role, createdBy })) throw notFound(`User ${userId}`);
  return inTransaction(context.pool, async (client) => {
    // Before the guest, as a deletion of the user does that takes the user from the guest.
    await holdUser(client, ownerId);
    const guest = await holdGuest(context, client, reference);
    refuseUnchangeable(guest);
    // A job that wants the guest now waits for its row; one that has it is seen here.
    if (!(await guests.setOwnerIfFree(client, guest.id, ownerId))) throw guestBusy(guest.vmid);
    return guest.id;
  });
}

/** Who deletes the user from here on waits. @throws DroverError notFound for one who was deleted since they were looked up */
async function holdUser(client: PoolClient, id: number): Promise<void> {
  if (!(await users.hold(client, id))) throw notFound(`User ${id}`);
}
