// Loads what placement and balancing decide on: the one way from the database to a snapshot, one statement for any number of nodes.
import type { Pool, PoolClient } from "pg";
import type { Clock } from "../concurrency/clock.js";
import { EVERY_HOST, type Scope } from "../core/access/scope.js";
import type { LoadedSnapshot, PlacementSettings } from "../core/placement/context.js";
import { DEFAULT_PLACEMENT_SETTINGS } from "../core/placement/context.js";
import { columnsOf, HOST_FACTS, NODE_FACTS, type ValuesOf } from "../core/placement/facts.js";
import { tunnelsOf, type NodeVersions } from "../core/inventory/tunnel.js";
import type { AgentState, HostState, NodeState, StorageState } from "../core/placement/snapshot.js";
import { atMoment, type ReservedRoom, type StoredNode } from "../core/placement/storedNode.js";
import { isAtLeast, REQUIRED_AGENT_VERSION } from "../core/version.js";

/** Says of a column with a host's id which hosts are meant, as a condition. */
type OfHosts = (hostId: string) => string;

/** Which part is read, as conditions. */
interface Part {
  /** The hosts that are read, with their nodes. */
  readonly hosts: OfHosts;
  /** Further, of their nodes `n`: what is not asked about is not looked at. */
  readonly nodes: string;
  /** The hosts on which reservations are read. */
  readonly reservations: OfHosts;
  /** A parameter, or null: the job whose own reservation does not count. */
  readonly exceptJob: string;
}

/**
 * What placement decides on, as members of a JSON object.
 * A reservation counts until the inventory has seen what became of it: the first sync after its job's end. A guest that
 * waits for its turn in a run counts where it is to go; once its turn has come, its migration's own reservation does.
 */
export const snapshotMembers = ({ hosts, nodes, reservations, exceptJob }: Part): string => `
  'weights', (select json_build_object('ram', ram_weight, 'cpu', cpu_weight, 'storage', storage_weight) from setting),
  'reservations', (select coalesce(json_agg(together), '[]') from (
    select node_id as "nodeId", host_id as "hostId", storage, sum(memory_mb) as "memoryMb", sum(disk_bytes) as "diskBytes"
    from (
      select r.node_id, n.host_id, r.storage, r.memory_mb, r.disk_bytes
      from capacity_reservation r join node n on n.id = r.node_id join host h on h.id = n.host_id join job j on j.id = r.job_id
      where (j.finished_at is null or j.parked_at is not null or h.last_sync_at is null or j.finished_at > h.last_sync_at)
        and ${reservations("n.host_id")} and (${exceptJob}::int is null or j.id <> ${exceptJob})
      union all
      select n.id, n.host_id, i.to_storage, case when g.status in ('running', 'paused') then g.memory_mb else 0 end, g.disk_bytes
      from run_item i join run r on r.id = i.run_id join guest g on g.id = i.guest_id
        join node n on n.host_id = i.to_host_id and n.name = i.to_node
      where i.status = 'waiting' and r.job_id is distinct from ${exceptJob} and ${reservations("n.host_id")}
    ) reserved
    group by node_id, host_id, storage
  ) together),
  'hosts', (select coalesce(json_agg(host), '[]') from (
    select h.id, h.name, ${columnsOf(HOST_FACTS)}, date_part('epoch', h.last_sync_at) * 1000 as "inventoryAt"
    from host h where ${hosts("h.id")}
  ) host),
  'nodes', (select coalesce(json_agg(node), '[]') from (
    select n.id, n.host_id as "hostId", n.name, ${columnsOf(NODE_FACTS)}, date_part('epoch', n.sampled_at) * 1000 as "sampledAt",
      n.version, n.qemu_server as "qemuServer", n.pve_container as "pveContainer", n.architecture,
      (select ${AGENT} from agent a where a.node_id = n.id) as agent,
      (select coalesce(json_agg(json_build_object('name', s.name, 'active', s.active, 'content', s.content, 'shared', s.shared,
          'totalBytes', s.total_bytes, 'freeBytes', s.free_bytes, 'roomKnown', s.room_known)), '[]')
        from storage s where s.node_id = n.id) as storages
    from node n where ${hosts("n.host_id")} and ${nodes}
  ) node)`;

/** An agent's row `a` as JSON. */
export const AGENT = `json_build_object('nodeId', a.node_id, 'healthy', a.healthy, 'version', a.version,
  'lastSeenAt', date_part('epoch', a.last_seen_at) * 1000)`;

const inScope: OfHosts = (hostId) => `($1::int[] is null or ${hostId} = any($1))`;

/**
 * The statement: $1 host ids in scope (null: all), $2 a job whose own reservation does not count, or null.
 * @param more further members of the JSON object, each ending with a comma; they may use further parameters.
 * @param only a further condition on the nodes `n`: what is not asked about is not looked at
 */
export const snapshotSql = (more = "", only = "true"): string =>
  `select json_build_object(${more} ${snapshotMembers({
    hosts: inScope,
    nodes: only,
    reservations: inScope,
    exceptJob: "$2",
  })})::text as json`;

/** A host as the statement gives it. */
interface HostRow extends HostState {
  /** When its inventory was last read, milliseconds since 1970; null: never. */
  readonly inventoryAt: number | null;
}

/** An agent as statements give it. */
export interface AgentRow {
  readonly nodeId: number;
  readonly healthy: boolean;
  readonly version: string | null;
  readonly lastSeenAt: number | null;
}

type StorageRow = Omit<StorageState, "reservedBytes">;

interface NodeRow extends ValuesOf<typeof NODE_FACTS>, NodeVersions {
  readonly id: number;
  readonly hostId: number;
  readonly name: string;
  readonly sampledAt: number | null;
  readonly agent: AgentRow | null;
  readonly storages: readonly StorageRow[];
  readonly architecture: string | null;
}

/** What the statement gives, parsed. */
export interface SnapshotRow {
  readonly weights: PlacementSettings["weights"];
  readonly reservations: readonly ReservedRoom[];
  readonly hosts: readonly HostRow[];
  readonly nodes: readonly NodeRow[];
}

interface SnapshotQuery {
  readonly scope?: Scope;
  /** A job whose own reservation does not count: when it is re-checked itself. */
  readonly exceptJobId?: number;
  /** The name of the one node that is asked about; null or left out: all. */
  readonly node?: string | null;
}

const OF_ALL_NODES = { name: "placement-snapshot", text: snapshotSql() };
const OF_ONE_NODE = { name: "placement-snapshot-of-node", text: snapshotSql("", "n.name = $3") };

/** The nodes of the hosts in scope, with what is reserved for running and queued jobs. */
export async function loadSnapshot(
  database: Pool | PoolClient,
  clock: Clock,
  { scope = EVERY_HOST, exceptJobId, node = null }: SnapshotQuery = {},
): Promise<LoadedSnapshot> {
  const now = clock.now();
  const values = [scope, exceptJobId ?? null];
  const statement = node === null ? { ...OF_ALL_NODES, values } : { ...OF_ONE_NODE, values: [...values, node] };
  const { rows } = await database.query<{ json: string }>(statement);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
  const loaded = JSON.parse(rows[0]?.json ?? "null") as SnapshotRow;
  return snapshotOf(loaded, now);
}

/** @returns the snapshot and the settings in the statement's JSON. */
export const snapshotOf = (row: SnapshotRow, now: Date): LoadedSnapshot => composed(storedNodes(row), row, now);

/** @returns these nodes at the moment, and the settings, with what the statement's JSON says is reserved. */
export const composed = (
  stored: Iterable<StoredNode>,
  { reservations, weights }: Pick<SnapshotRow, "reservations" | "weights">,
  now: Date,
): LoadedSnapshot => ({
  snapshot: { now: now.getTime(), nodes: atMoment(stored, reservations, now.getTime()) },
  settings: { ...DEFAULT_PLACEMENT_SETTINGS, weights },
});

/** @returns the nodes in the statement's JSON. */
export function storedNodes({ hosts: rows, nodes }: Pick<SnapshotRow, "hosts" | "nodes">): StoredNode[] {
  const hosts = new Map(rows.map(({ inventoryAt, ...host }) => [host.id, { host, inventoryAt }]));
  return nodes.flatMap((node) => {
    const host = hosts.get(node.hostId);
    return host === undefined ? [] : [storedNode(node, host)];
  });
}

function storedNode(row: NodeRow, host: Pick<NodeState, "host" | "inventoryAt">): StoredNode {
  const { id, hostId: _hostId, name, sampledAt, agent, storages, version, qemuServer, pveContainer, ...facts } = row;
  return {
    id,
    sampledAt,
    state: {
      ...host,
      ...facts,
      name,
      agent: agent && agentState(agent),
      memoryReservedMb: 0,
      storages: storages.map((storage) => ({ ...storage, reservedBytes: 0 })),
      tunnels: tunnelsOf({ version, qemuServer, pveContainer }),
    },
  };
}

/** @returns what placement asks of an agent. */
export const agentState = ({ healthy, version, lastSeenAt }: AgentRow): AgentState => ({
  healthy,
  current: isAtLeast(version, REQUIRED_AGENT_VERSION),
  lastSeenAt,
});
