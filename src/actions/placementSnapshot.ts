// Loads what placement and balancing decide on: the one way from the database to a snapshot, one statement for any number of nodes.
import type { Pool, PoolClient } from "pg";
import type { Clock } from "../clock.js";
import { EVERY_HOST, type Scope } from "../core/access/scope.js";
import type { PlacementSettings } from "../core/placement/context.js";
import { DEFAULT_PLACEMENT_SETTINGS } from "../core/placement/context.js";
import type { HostState, NodeState, Snapshot } from "../core/placement/snapshot.js";
import { isAtLeast, REQUIRED_AGENT_VERSION } from "../core/version.js";

/** The least that an agent must be to be `current`, and the settings in force, with the nodes in scope. */
export interface LoadedSnapshot {
  readonly snapshot: Snapshot;
  readonly settings: PlacementSettings;
}

/**
 * The statement: $1 host ids in scope (null: all), $2 the present, $3 a job whose own promise does not count, or null.
 * A reservation counts until the inventory has seen what became of it: the first sync after its job's end. A guest that
 * waits for its turn in a run counts where it is to go; once its turn has come, its migration's own reservation does.
 * @param more further members of the JSON object, each ending with a comma; they may use further parameters.
 * @param only a further condition on the nodes `n`: what is not asked about is not looked at
 */
export const snapshotSql = (more = "", only = "true"): string => `
  with promised as (
    select r.node_id, n.host_id, r.storage, r.memory_mb, r.disk_bytes
    from capacity_reservation r join node n on n.id = r.node_id join host h on h.id = n.host_id join job j on j.id = r.job_id
    where (j.finished_at is null or h.last_sync_at is null or j.finished_at > h.last_sync_at)
      and ($1::int[] is null or n.host_id = any($1)) and ($3::int is null or j.id <> $3)
    union all
    select n.id, n.host_id, i.to_storage, case when g.status in ('running', 'paused') then g.memory_mb else 0 end, g.disk_bytes
    from run_item i join run r on r.id = i.run_id join guest g on g.id = i.guest_id
      join node n on n.host_id = i.to_host_id and n.name = i.to_node
    where i.status = 'waiting' and r.job_id is distinct from $3 and ($1::int[] is null or n.host_id = any($1))
  )
  select json_build_object(${more}
    'weights', (select json_build_object('ram', ram_weight, 'cpu', cpu_weight, 'storage', storage_weight) from setting),
    'hosts', (select coalesce(json_agg(json_build_object('id', h.id, 'name', h.name, 'active', h.active, 'maintenance', h.maintenance)), '[]')
      from host h where $1::int[] is null or h.id = any($1)),
    'nodes', (select coalesce(json_agg(node), '[]') from (
      select n.host_id as "hostId", n.name, n.status = 'online' as online,
        extract(epoch from h.last_sync_at)::float8 * 1000 as "inventoryAt",
        n.cpu_cores as cores, n.memory_mb as "memoryMb", n.memory_used_mb as "memoryUsedMb",
        case when n.sampled_at > $2::timestamptz - interval '30 minutes' then n.cpu_average_30m end as "cpuAverage",
        (select json_build_object('healthy', a.healthy, 'version', a.version, 'lastSeenAt', extract(epoch from a.last_seen_at)::float8 * 1000)
          from agent a where a.node_id = n.id) as agent,
        coalesce((select sum(p.memory_mb)::int from promised p where p.node_id = n.id), 0) as "memoryReservedMb",
        (select count(*)::int from guest g where g.node_id = n.id and g.gone_at is null and not g.safety_copy) as "guestCount",
        (select coalesce(json_agg(json_build_object('name', s.name, 'shared', s.shared, 'active', s.active, 'content', s.content,
            'totalBytes', s.total_bytes, 'freeBytes', s.free_bytes,
            'reservedBytes', coalesce((select sum(p.disk_bytes) from promised p
              where p.storage = s.name and (p.node_id = n.id or (s.shared and p.host_id = n.host_id))), 0))), '[]')
          from storage s where s.node_id = n.id) as storages
      from node n join host h on h.id = n.host_id where ($1::int[] is null or n.host_id = any($1)) and ${only}
    ) node)
  )::text as json`;

interface NodeRow extends Omit<NodeState, "host" | "agent" | "maintenance"> {
  readonly hostId: number;
  readonly agent: {
    readonly healthy: boolean;
    readonly version: string | null;
    readonly lastSeenAt: number | null;
  } | null;
}

/** What the statement gives, parsed. */
export interface SnapshotRow {
  readonly weights: PlacementSettings["weights"];
  readonly hosts: readonly HostState[];
  readonly nodes: readonly NodeRow[];
}

export interface SnapshotQuery {
  readonly scope?: Scope;
  /** A job whose own promise does not count: when it is re-checked itself. */
  readonly exceptJobId?: number;
  /** The name of the one node that is asked about; null or left out: all. */
  readonly node?: string | null;
}

const OF_ALL_NODES = { name: "placement-snapshot", text: snapshotSql() };
const OF_ONE_NODE = { name: "placement-snapshot-of-node", text: snapshotSql("", "n.name = $4") };

/** The nodes of the hosts in scope, with what running and queued jobs were promised. */
export async function loadSnapshot(
  database: Pool | PoolClient,
  clock: Clock,
  { scope = EVERY_HOST, exceptJobId, node = null }: SnapshotQuery = {},
): Promise<LoadedSnapshot> {
  const now = clock.now();
  const values = [scope, now, exceptJobId ?? null];
  const statement = node === null ? { ...OF_ALL_NODES, values } : { ...OF_ONE_NODE, values: [...values, node] };
  const { rows } = await database.query<{ json: string }>(statement);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
  const loaded = JSON.parse(rows[0]?.json ?? "null") as SnapshotRow;
  return snapshotOf(loaded, now);
}

/** @returns the snapshot and the settings that the statement's JSON tells of. */
export function snapshotOf({ hosts: rows, nodes, weights }: SnapshotRow, now: Date): LoadedSnapshot {
  const hosts = new Map(rows.map((host) => [host.id, host]));
  return {
    snapshot: { now: now.getTime(), nodes: nodes.flatMap((row) => nodeState(row, hosts)) },
    settings: { ...DEFAULT_PLACEMENT_SETTINGS, weights },
  };
}

function nodeState({ hostId, agent, ...row }: NodeRow, hosts: ReadonlyMap<number, HostState>): NodeState[] {
  const host = hosts.get(hostId);
  if (host === undefined) return [];
  const known = agent && {
    healthy: agent.healthy,
    current: isAtLeast(agent.version, REQUIRED_AGENT_VERSION),
    lastSeenAt: agent.lastSeenAt,
  };
  return [{ ...row, host, maintenance: false, agent: known }];
}
