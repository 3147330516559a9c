// Separates the guests that have not changed since they were stored, usually most of them, from those that need a closer look.
import { GuestStatus } from "../core/enums.js";
import type { ObservedGuest } from "../hypervisor/observed.js";
import { believedStatus } from "./actualStatuses.js";
import { guestLoad, memoryOf, type Reading } from "./guestRows.js";
import type { ChangedLoad, GuestLoad, KnownGuest } from "../store/guest/stored.js";

interface SortedGuests {
  /** Of unchanged guests. */
  readonly loads: readonly ChangedLoad[];
  /** All others. */
  readonly others: readonly Reading[];
}

/** Does for each guest the same as `guestRow` and a comparison of every field would, without the row. */
export function sortGuests(readings: Iterable<Reading>): SortedGuests {
  const loads: ChangedLoad[] = [];
  const others: Reading[] = [];
  for (const reading of readings) {
    const { known } = reading;
    if (known === undefined || !isUnchanged(reading, known)) {
      others.push(reading);
      continue;
    }
    const load = guestLoad(reading, known, known.status);
    if (!isSameLoad(load, known)) loads.push({ guest: known, load });
  }
  return { loads, others };
}

/** Whether `guestRow` would tell nothing new but the load. */
function isUnchanged({ observed, looked, config }: Reading, known: KnownGuest): boolean {
  if (config !== undefined || believedStatus(observed.status, known.status, looked) !== known.status) return false;
  const isUnseen = known.status === GuestStatus.UNKNOWN;
  return (
    (known.unseenSince !== null) === isUnseen &&
    observed.node === known.node &&
    (observed.name ?? known.name) === known.name &&
    (observed.status === GuestStatus.UNKNOWN || observed.template === known.template) &&
    observed.lock === known.lock &&
    (observed.cores ?? known.cores) === known.cores &&
    memoryOf(observed, known) === known.memoryMb &&
    isSameList(observed.tags, known.tags)
  );
}

const isSameList = (left: ObservedGuest["tags"], right: KnownGuest["tags"]): boolean =>
  left.length === right.length && left.every((item, index) => item === right[index]);

const isSameLoad = (left: GuestLoad, right: GuestLoad): boolean =>
  left.cpuUsage === right.cpuUsage && left.memoryUsedMb === right.memoryUsedMb && left.startedAt === right.startedAt;
