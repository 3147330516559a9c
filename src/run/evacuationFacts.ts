// Loads what an evacuation is planned on, in one statement: the nodes in scope and the guests of the host that is emptied.
import type { Clock } from "../concurrency/clock.js";
import type { Reads } from "../context/context.js";
import type { Scope } from "../core/access/scope.js";
import { knownGuest, movableGuestSql, type NamedGuest, type MovableGuestRow } from "./movableGuests.js";
import { snapshotOf, snapshotSql, type SnapshotRow } from "../placement/placementSnapshot.js";
import type { LoadedSnapshot } from "../core/placement/context.js";

export interface EvacuationFacts extends LoadedSnapshot {
  /** By VMID. */
  readonly guests: readonly NamedGuest[];
}

/** Which guests: of a host, of one of its nodes, or one alone. */
interface GuestSelection {
  /** Hosts whose nodes are loaded. */
  readonly scope: Scope;
  readonly hostId: number;
  readonly node?: string | null;
  readonly guestId?: number;
  /** A run's job whose waiting guests are not counted where they are to go. */
  readonly exceptJobId?: number;
}

const FACTS = snapshotSql(`
    'guests', (select coalesce(json_agg(guest order by guest.vmid), '[]') from (
      select ${movableGuestSql} from guest g join node n on n.id = g.node_id
      where g.gone_at is null and g.host_id = $3 and ($4::text is null or n.name = $4) and ($5::int is null or g.id = $5)
    ) guest),`);

/** The guests of a host, templates and safety copies included, with the nodes that they might go to. */
export async function loadEvacuationFacts(
  { database, clock }: { readonly database: Reads; readonly clock: Clock },
  { scope, hostId, node = null, guestId, exceptJobId }: GuestSelection,
): Promise<EvacuationFacts> {
  const now = clock.now();
  const values = [scope, exceptJobId ?? null, hostId, node, guestId ?? null];
  const { rows } = await database.query<{ json: string }>({ name: "evacuation-facts", text: FACTS, values });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
  const loaded = JSON.parse(rows[0]?.json ?? "null") as SnapshotRow & { guests: readonly MovableGuestRow[] };
  return { ...snapshotOf(loaded, now), guests: loaded.guests.map(knownGuest) };
}
