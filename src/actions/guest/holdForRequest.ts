// Locks a guest while a request acts on it: no job and no other request can start on it meanwhile.
import type { Services } from "../../context/context.js";
import * as locks from "../../store/lock.js";
import { guestBusy, type FoundGuest } from "./findGuest.js";

/** @throws DroverError `conflict` (`GUEST_BUSY`) when a job or another request holds the guest; and what `act` throws */
export async function whileGuestIsHeld<Result>(
  { pool, log }: Pick<Services, "pool" | "log">,
  { id, hostId, vmid }: Pick<FoundGuest, "id" | "hostId" | "vmid">,
  act: () => Promise<Result>,
): Promise<Result> {
  const lock = await locks.takeForRequest(pool, { id, hostId, vmid });
  if (lock === null) throw guestBusy(vmid);
  try {
    return await act();
  } finally {
    // The result of `act` stands: a lock that cannot be released does not turn it into a failure, and expires.
    await locks
      .release(pool, lock)
      .catch((error: unknown) => log.warn({ err: error, vmid }, "the lock of a request could not be released early"));
  }
}
