// Answers what single snapshots are, and changes their description.
import type { ApiAnswer } from "../api.js";
import { checkLock, configTable, typedValue } from "../guests/config.js";
import { guestOf } from "../guests/lookup.js";
import type { Call } from "../route.js";
import { answer } from "../route.js";
import type { GuestType } from "../state/guest.js";
import type { SnapshotHabits } from "./habits.js";
import { shownColumns, snapshotOf } from "./list.js";

/** `GET …/snapshot/{snapname}/config`. */
export function readSnapshot(type: GuestType): (call: Call) => ApiAnswer {
  return (call) => {
    const snapshot = snapshotOf(guestOf(call, type), call.parameters.text("snapname"));
    const table = configTable(call.platform.release, type);
    const values = Object.entries(snapshot.config).map(([key, value]) => [key, typedValue(table, key, value)] as const);
    return answer({ ...Object.fromEntries(values), ...shownColumns(snapshot) });
  };
}

/** `PUT …/snapshot/{snapname}/config`. */
export function describeSnapshot({ type, description }: SnapshotHabits): (call: Call) => Promise<ApiAnswer> {
  return async (call) => {
    const guest = guestOf(call, type);
    await call.platform.locks.hold(guest, () => {
      checkLock(guest);
      const snapshot = snapshotOf(guest, call.parameters.text("snapname"));
      const text = call.parameters.optional("description");
      if (text !== undefined) snapshot.description = description(text);
    });
    return answer(null);
  };
}
