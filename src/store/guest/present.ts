// Reads the guests of a host as they stand in the database, and again only those whose rows were written since.
import type { ClientBase, Pool } from "pg";
import { VERSION } from "./observed.js";
import { KNOWN_GUESTS, loadKnownGuests, type ChangedLoad, type KnownGuest } from "./stored.js";

/** The guests of a host that are not gone. */
export interface PresentGuests {
  readonly byVmid: ReadonlyMap<number, KnownGuest>;
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

/** The known rows, with those read again that are listed in another version. */
export async function refreshed(
  database: Pool | ClientBase,
  hostId: number,
  { known, listing }: { known: (vmid: number) => KnownGuest | undefined; listing: Listing },
): Promise<PresentGuests> {
  const { vmids, versions, digest } = listing;
  const byVmid = new Map<number, KnownGuest>();
  const stale: number[] = [];
  for (const [index, vmid] of vmids.entries()) {
    const guest = known(vmid);
    if (guest !== undefined && guest.version === versions[index]) byVmid.set(vmid, guest);
    else stale.push(vmid);
  }
  // A row that is written at this moment comes in a version that is not the listed one: then the digest is out of date
  // as well, and the next reading notices.
  if (stale.length > 0)
    for (const guest of await loadKnownGuests(database, hostId, stale)) byVmid.set(guest.vmid, guest);
  return { byVmid, digest };
}

const AFTER_WRITING = `
  with listing as (${LISTING})
  select json_build_object('listing', (select row_to_json(listing) from listing), 'rows', (${KNOWN_GUESTS}),
    'own', pg_current_xact_id()::xid::text::bigint) as json`;

interface AfterWriting {
  readonly listing: Listing;
  readonly rows: readonly KnownGuest[];
  /** The version of rows that this transaction has written. */
  readonly own: number;
}

/** What a transaction has written. */
export interface Written {
  /** VMIDs whose rows are to be read back. */
  readonly vmids: readonly number[];
  /** Rows that are known without. */
  readonly loads: readonly ChangedLoad[];
}

/** The guests after a transaction has written some, for use once it is committed. */
export async function afterWriting(
  client: ClientBase,
  hostId: number,
  { before, vmids, loads }: Written & { readonly before: PresentGuests },
): Promise<PresentGuests> {
  const statement = { name: "inventory-written", text: AFTER_WRITING, values: [hostId, vmids] };
  const { rows } = await client.query<{ json: AfterWriting }>(statement);
  const [after] = rows;
  if (after === undefined) throw new Error("a statement that always has a row has none");
  const { listing, rows: read, own } = after.json;
  const changed = new Map(read.map((guest) => [guest.vmid, guest]));
  // Whose load was not written because of another writer has another version: it is read all the same.
  for (const { guest, load } of loads) changed.set(guest.vmid, { ...guest, ...load, version: own });
  return refreshed(client, hostId, { known: (vmid) => changed.get(vmid) ?? before.byVmid.get(vmid), listing });
}
