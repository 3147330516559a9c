// Finds out whether a guest that turned up is one that was gone: restored, or shown again by a host that had lost it.
import type { PoolClient } from "pg";
import { evidenceOfAnother, knownGuest, seenGuest, type Replacement } from "../core/inventory/identity.js";
import type { GuestType } from "../core/enums.js";
import type { GuestRow } from "./guestRows.js";
import { GONE_RETENTION_DAYS } from "./retention.js";
import type { GuestIdentity } from "../store/guest/stored.js";

interface GoneGuest {
  readonly id: number;
  readonly type: GuestType;
  readonly vmid: number;
  readonly name: string;
  readonly identity: GuestIdentity;
  readonly tags: readonly string[];
  readonly safetyCopy: boolean;
}

const GONE = `
  select id, type, vmid, name, identity, tags, safety_copy as "safetyCopy" from guest
  where host_id = $1 and vmid = any($2) and identity is not null and gone_at > $3::timestamptz - $4 * interval '1 day'
  order by gone_at desc, id desc`;

interface Circumstances {
  readonly hostId: number;
  readonly now: Date;
  /** The tasks that made or destroyed each VMID. */
  readonly replaced: ReadonlyMap<number, readonly Replacement[]>;
}

/** @returns the id of the former guest, by VMID of the row that is the same guest */
export async function formerGuests(
  client: PoolClient,
  { hostId, now, replaced }: Circumstances,
  rows: readonly GuestRow[],
): Promise<ReadonlyMap<number, number>> {
  const identified = rows.filter(({ identity }) => identity !== null);
  if (identified.length === 0) return new Map();
  const vmids = identified.map(({ vmid }) => vmid);
  const { rows: gone } = await client.query<GoneGuest>(GONE, [hostId, vmids, now, GONE_RETENTION_DAYS]);
  const former = identified.map((row) => [row.vmid, gone.find((guest) => isSame(guest, row, replaced))?.id] as const);
  return new Map(former.filter((pair): pair is [number, number] => pair[1] !== undefined));
}

/**
 * Where no mark can prove it, the name must be the same too. A guest that was moved has the marks of its safety copy, but not
 * the tag: when somebody moves it back, it must not be taken for the copy and be deleted one day.
 */
function isSame(
  gone: GoneGuest,
  { type, vmid, name, identity, tags }: GuestRow,
  replaced: Circumstances["replaced"],
): boolean {
  if (gone.vmid !== vmid || identity === null) return false;
  if (gone.safetyCopy && !gone.tags.every((tag) => tags.includes(tag))) return false;
  const known = knownGuest(gone.type, gone.identity);
  const seen = seenGuest({ type, vmid, marks: identity.marks }, replaced);
  if (evidenceOfAnother(known, seen) !== null) return false;
  const { uuid, createdAt, generation } = known.marks;
  const isMarked = (uuid ?? createdAt ?? generation) !== null;
  return isMarked || gone.name === name;
}
