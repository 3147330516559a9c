// Gives the number of guests without counting them, where only the host decides which guests are meant.
import type { Viewer } from "../../access/viewer.js";
import type { GuestCriteria } from "./guestList.js";
import { givenAny } from "../engine/criteria.js";
import type { Clause } from "../engine/read.js";
import type { Bind } from "../engine/statement.js";
import { seesGuestsByHost, visibleHost } from "./visibility.js";

/** The sum of the hosts' counts, which triggers keep (schema change 36). */
const sumOf = (conditions: readonly (string | null)[]): string => {
  const given = conditions.filter((condition) => condition !== null);
  return `(select coalesce(sum(gc.present), 0) from guest_count gc${given.length > 0 ? ` where ${given.join(" and ")}` : ""})`;
};

/** @returns the number of guests of one host; null: they must be counted, because the viewer sees only some of them */
export const guestsOfHost = (hostId: string, viewer: Viewer, bind: Bind): string | null =>
  seesGuestsByHost(viewer) ? sumOf([`gc.host_id = ${hostId}`, visibleHost("gc.host_id", viewer, bind)]) : null;

/** @returns the number of guests that match a filter; null: they must be counted */
export function guestTotal({ hostIds, ...further }: GuestCriteria, viewer: Viewer): Clause | null {
  const isByHost = Object.values(further).every((criterion) => criterion === null || criterion === undefined);
  if (!isByHost || !seesGuestsByHost(viewer)) return null;
  return (_row, value) => {
    const wanted = givenAny(hostIds, (row, isAny) => isAny(`${row}.host_id`)).map((clause) => clause("gc", value));
    return sumOf([...wanted, visibleHost("gc.host_id", viewer, () => value(viewer.hostIds))]);
  };
}
