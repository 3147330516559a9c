// Holds a guest while a request acts on it: no job and no other request can start on it meanwhile.
import type { Services } from "../../context/context.js";
import { guestLock } from "../../core/guest/lock.js";
import { guestBusy, type FoundGuest } from "./findGuest.js";

/** Longer than any such request waits for its platform: a hold that lasts so long is that of a process which died. */
const LONGEST_HOLD = "interval '60 seconds'";

/** Who comes second gets no row: the check and the hold are one statement. Nor is a guest held that was moved just before. */
const HOLD = `
  with present as (
    select id from guest where id = $2 and host_id = $3 and vmid = $4 and gone_at is null and not safety_copy for no key update)
  insert into resource_lock (key, until) select $1, now() + ${LONGEST_HOLD} from present
  on conflict (key) do update set since = now(), until = excluded.until where resource_lock.until < now()
  returning until::text`;

const RELEASE = `delete from resource_lock where key = $1 and until = $2::timestamptz`;

/** @throws DroverError `conflict` (`GUEST_BUSY`) when a job or another request holds the guest; and what `act` throws */
export async function whileGuestIsHeld<Result>(
  { pool, log }: Pick<Services, "pool" | "log">,
  { id, hostId, vmid }: Pick<FoundGuest, "id" | "hostId" | "vmid">,
  act: () => Promise<Result>,
): Promise<Result> {
  const key = guestLock(hostId, vmid);
  const { rows } = await pool.query<{ until: string }>(HOLD, [key, id, hostId, vmid]);
  const [hold] = rows;
  if (hold === undefined) throw guestBusy(vmid);
  try {
    return await act();
  } finally {
    // What was done stays done: who is told so must not be told the contrary because of a hold, which ends by itself.
    await pool
      .query(RELEASE, [key, hold.until])
      .catch((error: unknown) =>
        log.warn({ err: error, vmid }, "a hold on a guest could not be ended before its time"),
      );
  }
}
