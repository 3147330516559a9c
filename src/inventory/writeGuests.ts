// Writes what became of a host's guests: new ones, changed ones, those that moved inside the cluster, and those that are gone.
import type { PoolClient } from "pg";
import { GuestStatus } from "../core/enums.js";
import { diffRows } from "../core/inventory/diff.js";
import { evidenceOfAnother, knownGuest, seenGuest, type Replacement } from "../core/inventory/identity.js";
import type { GuestRow } from "./guestRows.js";
import type { PresentGuests, Written } from "../store/guest/present.js";

import { formerGuests } from "./formerGuests.js";
import * as observedGuests from "../store/guest/observed.js";
import * as guests from "../store/guest/record.js";
import type { ChangedLoad, KnownGuest, StoredGuest } from "../store/guest/stored.js";

interface SeenGuests {
  /** All that are on record. */
  readonly known: PresentGuests["byVmid"];
  /** VMIDs of all that were observed. */
  readonly observed: { has(vmid: number): boolean };
  /** The tasks that made or destroyed each VMID. */
  readonly replaced: ReadonlyMap<number, readonly Replacement[]>;
  /** Of those that have changed, the row as it is, where there is one. */
  readonly stored: ReadonlyMap<number, StoredGuest>;
  /** The same as they should be. */
  readonly rows: readonly GuestRow[];
  readonly loads: readonly ChangedLoad[];
  /** VMIDs that jobs write themselves. */
  readonly held: ReadonlySet<number>;
  /** VMIDs of stored guests that are free on the host. */
  readonly freed: ReadonlySet<number>;
}

interface Moment {
  readonly hostId: number;
  readonly now: Date;
}

/** @returns null when there was nothing to write */
export async function writeGuests(client: PoolClient, moment: Moment, seen: SeenGuests): Promise<Written | null> {
  const { hostId, now } = moment;
  const isFree = ({ vmid }: { readonly vmid: number }): boolean => !seen.held.has(vmid);
  const rows = seen.rows.filter(isFree);
  const stored = rows.flatMap(({ vmid }) => seen.stored.get(vmid) ?? []);
  const isAnother = isAnotherSince(seen.replaced);
  const difference = diffRows<StoredGuest, GuestRow>(stored, rows, { keyOf: ({ vmid }) => vmid, isAnother });
  const unseen = [...seen.known.values()].filter((guest) => !seen.observed.has(guest.vmid) && isFree(guest));
  const left = await leave(client, now, { ...seen, missing: [...difference.vanished, ...unseen] });
  const former = await formerGuests(client, { ...moment, replaced: seen.replaced }, difference.inserts);
  const changed = difference.updates.map(({ stored: { id }, observed: row }) => ({ id, ...row }));
  const revived = difference.inserts.flatMap((row) => withFormerId(row, former));
  await observedGuests.update(client, hostId, [...changed, ...revived]);
  const added = difference.inserts.filter(({ vmid }) => !former.has(vmid));
  await observedGuests.insert(client, hostId, added);
  const loads = seen.loads.filter(({ guest }) => isFree(guest));
  await observedGuests.updateLoads(
    client,
    loads.map(({ guest: { id, version }, load }) => ({ id, version, ...load })),
  );
  const vmids = [...changed, ...difference.inserts].map(({ vmid }) => vmid);
  if (left + vmids.length + loads.length === 0) return null;
  return { vmids, loads };
}

/** Guests whose VMID is free or another's now are gone; the others are only out of sight. @returns how many are written */
async function leave(
  client: PoolClient,
  now: Date,
  {
    missing,
    observed,
    freed,
  }: Pick<SeenGuests, "observed" | "freed"> & { missing: readonly Pick<KnownGuest, "id" | "vmid" | "status">[] },
): Promise<number> {
  const isGone = ({ vmid }: Pick<KnownGuest, "vmid">): boolean => freed.has(vmid) || observed.has(vmid);
  const gone = missing.filter(isGone).map(({ id }) => id);
  const hidden = missing.filter((guest) => !isGone(guest) && guest.status !== GuestStatus.UNKNOWN).map(({ id }) => id);
  if (gone.length > 0) await guests.markGone(client, gone);
  if (hidden.length > 0) await observedGuests.markUnseen(client, hidden, now);
  return gone.length + hidden.length;
}

function withFormerId(row: GuestRow, former: ReadonlyMap<number, number>): (GuestRow & { readonly id: number })[] {
  const id = former.get(row.vmid);
  return id === undefined ? [] : [{ id, ...row }];
}

/** A VMID that was deleted and used again is another guest. */
export const isAnotherSince =
  (replaced: SeenGuests["replaced"]) =>
  (stored: StoredGuest, { type, vmid, identity }: GuestRow): boolean => {
    if (stored.identity === null || identity === null) return stored.type !== type;
    const seen = seenGuest({ type, vmid, marks: identity.marks }, replaced);
    return evidenceOfAnother(knownGuest(stored.type, stored.identity), seen) !== null;
  };
