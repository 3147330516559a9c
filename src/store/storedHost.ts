// Loads what the inventory holds of one host, for comparison with what was just observed.
import type { ClientBase, Pool } from "pg";
import { lockedVmidsSql } from "../core/guest/lock.js";
import { LISTING, refreshed, type Listing, type PresentGuests } from "./guest/present.js";
import { ms } from "./guest/stored.js";

interface StoredNode {
  readonly name: string;
  readonly version: string | null;
  readonly detailsReadAt: number | null;
  readonly softwareReadAt: number | null;
  readonly sampledAt: number | null;
  /** Null: none is known. */
  readonly certificate: string | null;
}

export interface RecordedHost {
  readonly nodes: readonly StoredNode[];
  readonly guests: PresentGuests;
  /** VMIDs that a job holds, or held since the moment that was asked for: their rows are written by that job. */
  readonly heldVmids: readonly number[];
  /** When this was read, on the clock of the ends of jobs. */
  readonly readAt: string;
  /** End of the last sync that was written, milliseconds since 1970. */
  readonly lastSyncAt: number | null;
  /** The host that has the same machines. */
  readonly sameAsHostId: number | null;
}

/** Jobs that begin and end during one sync are among the newest. */
const NEWEST_JOBS = 100;

const STORED = `
  with listing as (${LISTING})
  select json_build_object(
    'readAt', service_now(),
    'lastSyncAt', (select ${ms("last_sync_at")} from host where id = $1),
    'sameAsHostId', (select same_as_host_id from host where id = $1),
    'heldVmids', array(
      select vmid from vmid_reservation where host_id = $1
      union ${lockedVmidsSql("$1::int")}
      union select vmid from (select vmid, finished_at from job where host_id = $1 order by id desc limit ${NEWEST_JOBS}) newest
        where vmid is not null and finished_at >= $2::timestamptz),
    'nodes', (select coalesce(json_agg(json_build_object('name', name, 'certificate', certificate, 'version', version,
        'detailsReadAt', ${ms("details_read_at")}, 'softwareReadAt', ${ms("software_read_at")}, 'sampledAt', ${ms("sampled_at")})), '[]') from node where host_id = $1),
    'listing', (select row_to_json(listing) from listing where digest <> $3)
  ) as json`;

/** What is known already. */
interface KnownState {
  /** Of these only what was written since is read. */
  readonly guests: PresentGuests;
  /** `readAt` of an earlier reading: VMIDs that a job held in between count as held. */
  readonly since?: string;
}

export async function loadStored(
  database: Pool | ClientBase,
  hostId: number,
  { guests: known, since }: KnownState,
): Promise<RecordedHost> {
  const { rows } = await database.query<{ json: Omit<RecordedHost, "guests"> & { readonly listing: Listing | null } }>({
    name: "inventory-stored",
    text: STORED,
    values: [hostId, since ?? null, known.digest],
  });
  const [stored] = rows;
  if (stored === undefined) throw new Error("a statement that always has a row has none");
  const { listing, ...host } = stored.json;
  const guests =
    listing === null ? known : await refreshed(database, hostId, { known: (vmid) => known.byVmid.get(vmid), listing });
  return { ...host, guests };
}
