// Tells the guests to which nothing happened since they were stored, most of them at most syncs, from those that need a closer look.
import { GuestStatus } from "../core/enums.js";
import type { ObservedGuest } from "../hypervisor/observed.js";
import { believedStatus } from "./closerLook.js";
import { guestLoad, guestRow, memoryOf, type GuestLoad, type GuestRow, type Reading } from "./guestRows.js";
import type { StoredGuest } from "./storedGuest.js";

/** A quiet guest with a load that is not the stored one. */
export interface ChangedLoad {
  readonly guest: StoredGuest;
  readonly load: GuestLoad;
}

export interface SortedGuests {
  /** Of quiet guests. */
  readonly loads: readonly ChangedLoad[];
  /** Of all others, as they should be. */
  readonly rows: readonly GuestRow[];
}

/** Does for each guest the same as `guestRow` and a comparison of every field would, without making rows that are stored already. */
export function sortGuests(readings: Iterable<Reading>): SortedGuests {
  const loads: ChangedLoad[] = [];
  const rows: GuestRow[] = [];
  for (const reading of readings) {
    const { stored } = reading;
    if (stored === undefined || !isQuiet(reading, stored)) {
      rows.push(guestRow(reading));
      continue;
    }
    const load = guestLoad(reading, stored.status);
    if (!isSameLoad(load, stored)) loads.push({ guest: stored, load });
  }
  return { loads, rows };
}

/** Whether `guestRow` would tell nothing new but the load. */
function isQuiet({ observed, looked, config }: Reading, stored: StoredGuest): boolean {
  if (config !== undefined || believedStatus(observed.status, stored.status, looked) !== stored.status) return false;
  const isUnseen = stored.status === GuestStatus.UNKNOWN;
  return (
    (stored.unseenSince !== null) === isUnseen &&
    observed.node === stored.node &&
    (observed.name ?? stored.name) === stored.name &&
    (observed.status === GuestStatus.UNKNOWN || observed.template === stored.template) &&
    observed.lock === stored.lock &&
    (observed.cores ?? stored.cores) === stored.cores &&
    memoryOf(observed, stored) === stored.memoryMb &&
    isSameList(observed.tags, stored.tags)
  );
}

const isSameList = (left: ObservedGuest["tags"], right: StoredGuest["tags"]): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index]);

const isSameLoad = (left: GuestLoad, right: GuestLoad): boolean =>
  left.cpuUsage === right.cpuUsage && left.memoryUsedMb === right.memoryUsedMb && left.startedAt === right.startedAt;
