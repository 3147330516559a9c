// Caches the nodes of the fleet between previews: each preview reads from the database only what has changed since the last one.
import type { Pool } from "pg";
import type { Clock } from "../concurrency/clock.js";
import type { StoredNode } from "../core/placement/storedNode.js";
import type { Events } from "../events/events.js";
import { MicroBatches } from "../concurrency/microBatches.js";
import {
  AGENT,
  agentState,
  composed,
  snapshotMembers,
  storedNodes,
  type AgentRow,
  type SnapshotRow,
} from "./placementSnapshot.js";
import type { LoadedSnapshot } from "../core/placement/context.js";

/** The cache is dropped after so much idle time. */
const IDLE_MS = 10 * 60 * 1000;

/** One reading at a time: calls that come during it share the next one, and so never get a result that was read before they came. */
const READINGS = { atOnce: 1, largest: 1_000, mostWaiting: 1_000 };

/**
 * $1 the cached snapshot of the database, $2 the server that it is of; null: nothing is cached.
 * A host is read again when a transaction that the cached snapshot does not show has noted a change of it (schema change 19),
 * an agent when its row is as young as that snapshot's oldest transaction. It is one statement: what it reads and what is
 * cached are together exactly what the database shows at the moment of the statement. A server that was restarted may have lost
 * what it had shown: everything is read again.
 */
const DELTA = `
  with cached as (
    select $1::pg_snapshot as snapshot
    where $1::pg_snapshot is not null and $2 = pg_postmaster_start_time()::text
  ), changed as materialized (
    select c.host_id from placement_change c, cached where not pg_visible_in_snapshot(c.changed_in, cached.snapshot)
    union
    select h.id from host h where not exists (select from cached)
  )
  select json_build_object(
    'snapshot', pg_current_snapshot()::text,
    'server', pg_postmaster_start_time()::text,
    'isWhole', not exists (select from cached),
    'changed', (select coalesce(json_agg(host_id), '[]') from changed),
    'agents', (select coalesce(json_agg(${AGENT}), '[]') from agent a
      where age(a.xmin) <= (select age(pg_snapshot_xmin(cached.snapshot)::xid) from cached)),
    ${snapshotMembers({
      hosts: (hostId) => `${hostId} in (select host_id from changed)`,
      nodes: "true",
      reservations: () => "true",
      exceptJob: "null",
    })})::text as json`;

/** What has changed since the cached snapshot. */
interface FleetDelta extends SnapshotRow {
  readonly snapshot: string;
  readonly server: string;
  /** Whether everything was read. */
  readonly isWhole: boolean;
  /** Ids of the hosts that were read; one that is not among `hosts` is gone. */
  readonly changed: readonly number[];
  /** Agents with a heartbeat since, on hosts that were read or not. */
  readonly agents: readonly AgentRow[];
}

/** The nodes of the fleet, as of one snapshot of the database. */
class CachedFleet {
  snapshot: string | null = null;
  server: string | null = null;
  readonly #nodes = new Map<number, StoredNode>();
  readonly #nodesOfHosts = new Map<number, readonly number[]>();

  nodes(): Iterable<StoredNode> {
    return this.#nodes.values();
  }

  apply(delta: FleetDelta): void {
    const stale = delta.isWhole ? [...this.#nodesOfHosts.keys()] : delta.changed;
    for (const hostId of stale) this.#removeHost(hostId);
    const read = Map.groupBy(storedNodes(delta), ({ state }) => state.host.id);
    for (const [hostId, nodes] of read) {
      this.#nodesOfHosts.set(
        hostId,
        nodes.map(({ id }) => id),
      );
      for (const node of nodes) this.#nodes.set(node.id, node);
    }
    for (const agent of delta.agents) this.#updateAgent(agent);
    this.snapshot = delta.snapshot;
    this.server = delta.server;
  }

  #removeHost(hostId: number): void {
    for (const id of this.#nodesOfHosts.get(hostId) ?? []) this.#nodes.delete(id);
    this.#nodesOfHosts.delete(hostId);
  }

  #updateAgent(agent: AgentRow): void {
    const node = this.#nodes.get(agent.nodeId);
    if (node !== undefined) this.#nodes.set(node.id, { ...node, state: { ...node.state, agent: agentState(agent) } });
  }
}

interface FleetCacheParts {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly events: Events;
}

/** The nodes of all hosts, never older than a reading of the database that begins with the call. One a process. */
export class FleetCache {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #readings = new MicroBatches<null, LoadedSnapshot>(() => this.#read(), READINGS);
  readonly #unsubscribe: () => void;
  #cached = new CachedFleet();
  #idle: NodeJS.Timeout | null = null;

  constructor({ pool, clock, events }: FleetCacheParts) {
    this.#pool = pool;
    this.#clock = clock;
    this.#unsubscribe = events.on("gap", () => this.#drop());
  }

  /** What placement decides on, of all hosts: the same as a fresh `loadSnapshot`. */
  snapshot(): Promise<LoadedSnapshot> {
    return this.#readings.add(null);
  }

  close(): void {
    this.#unsubscribe();
    this.#drop();
  }

  async #read(): Promise<() => LoadedSnapshot> {
    const now = this.#clock.now();
    const cached = this.#cached;
    const delta = await this.#readDelta(cached);
    // The database was away during the reading: the delta may not follow from what is cached.
    if (cached !== this.#cached) return this.#read();
    cached.apply(delta);
    this.#restartIdleTime();
    const loaded = composed(cached.nodes(), delta, now);
    return () => loaded;
  }

  async #readDelta({ snapshot, server }: CachedFleet): Promise<FleetDelta> {
    try {
      const values = [snapshot, server];
      const { rows } = await this.#pool.query<{ json: string }>({ name: "fleet-delta", text: DELTA, values });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
      return JSON.parse(rows[0]?.json ?? "null") as FleetDelta;
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  #restartIdleTime(): void {
    this.#idle ??= setTimeout(() => this.#drop(), IDLE_MS).unref();
    this.#idle.refresh();
  }

  #drop(): void {
    this.#cached = new CachedFleet();
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
  }
}
