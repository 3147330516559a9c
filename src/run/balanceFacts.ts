// Loads what a balance report decides on, in one statement: the nodes, the running guests of those that may be hot, the settings.
import type { Context } from "../context/context.js";
import type { BalanceSettings } from "../core/balance/board.js";
import type { BalanceMode } from "../core/enums.js";
import type { Snapshot } from "../core/placement/snapshot.js";
import type { Reader } from "../reads/engine/json.js";
import { knownGuest, movableGuestSql, type NamedGuest, type MovableGuestRow } from "./movableGuests.js";
import { snapshotOf, snapshotSql, type SnapshotRow } from "../placement/placementSnapshot.js";

export interface BalanceFacts {
  readonly snapshot: Snapshot;
  /** Running guests of nodes at or above a threshold: no others can be suggested. */
  readonly guests: readonly NamedGuest[];
  readonly settings: BalanceSettings;
}

interface BalanceRow extends SnapshotRow {
  readonly thresholds: BalanceSettings["thresholds"];
  readonly maxSuggestions: number;
  readonly guests: readonly MovableGuestRow[];
}

/** Known before guests are read: guests of other nodes are not read. */
const MAYBE_HOT = `
  select n.id from node n cross join setting s where ($1::int[] is null or n.host_id = any($1))
    and (n.memory_used_mb * 100.0 >= n.memory_mb * s.ram_threshold_percent or n.cpu_average_30m * 100 >= s.cpu_threshold_percent)`;

const FACTS = snapshotSql(`
    'thresholds', (select json_build_object('ramPercent', ram_threshold_percent, 'cpuPercent', cpu_threshold_percent) from setting),
    'maxSuggestions', (select max_suggestions from setting),
    'guests', (select coalesce(json_agg(guest), '[]') from (
      select ${movableGuestSql} from guest g join node n on n.id = g.node_id
      where g.gone_at is null and g.status in ('running', 'paused') and g.node_id = any(array(${MAYBE_HOT}))
    ) guest),`);

/** The facts of the hosts in the viewer's scope. */
export async function loadBalanceFacts(
  context: Reader & Pick<Context, "clock" | "viewer">,
  mode: BalanceMode,
): Promise<BalanceFacts> {
  const now = context.clock.now();
  const values = [context.viewer.hostIds, null];
  const { rows } = await context.pool.query<{ json: string }>({ name: "balance-facts", text: FACTS, values });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
  const loaded = JSON.parse(rows[0]?.json ?? "null") as BalanceRow;
  const { snapshot, settings: placement } = snapshotOf(loaded, now);
  const { thresholds, maxSuggestions } = loaded;
  return {
    snapshot,
    guests: loaded.guests.map(knownGuest),
    settings: { placement, thresholds, maxSuggestions, mode },
  };
}
