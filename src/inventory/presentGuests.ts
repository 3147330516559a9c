// Knows the guests of a host as they stand in the database, and reads again only those whose rows were written since.
import type { ClientBase, Pool } from "pg";
import { loadGuests, VERSION, type StoredGuest } from "./storedGuest.js";

/** The guests of a host that are not gone. */
export interface PresentGuests {
  readonly byVmid: ReadonlyMap<number, StoredGuest>;
  /** Of all their VMIDs and versions: while it is the same, so are the guests, whoever writes to the database. */
  readonly digest: string;
}

export const NO_GUESTS: PresentGuests = { byVmid: new Map(), digest: "" };

/** Which rows there are: a VMID and a version each, in the same order. */
export interface Listing {
  readonly digest: string;
  readonly vmids: readonly number[];
  readonly versions: readonly number[];
}

/** One row, the listing of the host `$1`. */
export const LISTING = `
  select vmids, versions, md5(vmids::text || versions::text) as digest from (
    select coalesce(array_agg(vmid order by vmid), '{}') as vmids,
      coalesce(array_agg(${VERSION} order by vmid), '{}') as versions
    from guest where host_id = $1 and gone_at is null) as present`;

/** What was known, with those rows read anew that are listed in another version. */
export async function refreshed(
  database: Pool | ClientBase,
  hostId: number,
  { known, listing }: { known: PresentGuests["byVmid"]; listing: Listing },
): Promise<PresentGuests> {
  const { vmids, versions, digest } = listing;
  const byVmid = new Map<number, StoredGuest>();
  const stale: number[] = [];
  for (const [index, vmid] of vmids.entries()) {
    const guest = known.get(vmid);
    if (guest !== undefined && guest.version === versions[index]) byVmid.set(vmid, guest);
    else stale.push(vmid);
  }
  // A row that somebody writes at this moment comes in a version that is not the listed one: then the digest is out of date
  // as well, and the next reading notices.
  if (stale.length > 0) for (const guest of await loadGuests(database, hostId, stale)) byVmid.set(guest.vmid, guest);
  return { byVmid, digest };
}

const LISTING_AFTER_WRITING = `
  with listing as (${LISTING})
  select json_build_object('listing', (select row_to_json(listing) from listing),
    'own', pg_current_xact_id()::xid::text::bigint)::text as json`;

/**
 * The guests after a transaction has written some, for use once it is committed.
 * @param guesses what rows that the transaction has written must be: these are not read, unless they came out otherwise
 */
export async function afterWriting(
  client: ClientBase,
  hostId: number,
  { before, guesses }: { before: PresentGuests; guesses: readonly StoredGuest[] },
): Promise<PresentGuests> {
  const statement = { name: "inventory-listing", text: LISTING_AFTER_WRITING, values: [hostId] };
  const { rows } = await client.query<{ json: string }>(statement);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
  const { listing, own } = JSON.parse(rows[0]?.json ?? "null") as { listing: Listing; own: number };
  const known = new Map(before.byVmid);
  for (const guess of guesses) known.set(guess.vmid, { ...guess, version: own });
  return refreshed(client, hostId, { known, listing });
}
