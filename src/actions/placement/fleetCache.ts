// Keeps the fleet's nodes in memory between previews: each reads from the database only what has changed since the last one.
import type { Pool } from "pg";
import type { Clock } from "../../concurrency/clock.js";
import type { StoredNode } from "../../core/placement/storedNode.js";
import type { Events } from "../../events/events.js";
import { MicroBatches } from "../../concurrency/microBatches.js";
import {
  AGENT,
  agentState,
  composed,
  snapshotMembers,
  storedNodes,
  type AgentRow,
  type LoadedSnapshot,
  type SnapshotRow,
} from "./placementSnapshot.js";

/** Whoever stops asking gets the memory back. */
const LONGEST_UNUSED_MS = 10 * 60 * 1000;

/** One reading at a time: those who ask meanwhile share the next, which begins after they asked. */
const READINGS = { atOnce: 1, largest: 1_000, mostWaiting: 1_000 };

/**
 * The statement: $1 the snapshot of the database that is known, $2 the server that it is of; null: nothing is known.
 * A host is read again when a transaction that the known snapshot does not show has noted a change of it (schema change 19),
 * an agent when its row is as young as that snapshot's oldest transaction. All is one statement: what it gives and what is
 * known are together exactly what the database shows at its own moment. A server that started anew may have lost what it
 * had shown: all is read again.
 */
const NEWS = `
  with known as (
    select $1::pg_snapshot as snapshot
    where $1::pg_snapshot is not null and $2 = pg_postmaster_start_time()::text
  ), changed as materialized (
    select c.host_id from placement_change c, known where not pg_visible_in_snapshot(c.changed_in, known.snapshot)
    union
    select h.id from host h where not exists (select from known)
  )
  select json_build_object(
    'snapshot', pg_current_snapshot()::text,
    'server', pg_postmaster_start_time()::text,
    'isWhole', not exists (select from known),
    'changed', (select coalesce(json_agg(host_id), '[]') from changed),
    'agents', (select coalesce(json_agg(${AGENT}), '[]') from agent a
      where age(a.xmin) <= (select age(pg_snapshot_xmin(known.snapshot)::xid) from known)),
    ${snapshotMembers({
      hosts: (hostId) => `${hostId} in (select host_id from changed)`,
      nodes: "true",
      promises: () => "true",
      exceptJob: "null",
    })})::text as json`;

interface News extends SnapshotRow {
  readonly snapshot: string;
  readonly server: string;
  /** Whether everything was read. */
  readonly isWhole: boolean;
  /** Ids of the hosts that were read; one that is not among `hosts` is gone. */
  readonly changed: readonly number[];
  /** Those who have beaten since, on hosts that were read or not. */
  readonly agents: readonly AgentRow[];
}

/** What is known of the fleet, as of one snapshot of the database. */
class Knowledge {
  snapshot: string | null = null;
  server: string | null = null;
  readonly #nodes = new Map<number, StoredNode>();
  readonly #nodesOfHosts = new Map<number, readonly number[]>();

  nodes(): Iterable<StoredNode> {
    return this.#nodes.values();
  }

  learn(news: News): void {
    const gone = news.isWhole ? [...this.#nodesOfHosts.keys()] : news.changed;
    for (const hostId of gone) this.#forgetHost(hostId);
    const read = Map.groupBy(storedNodes(news), ({ state }) => state.host.id);
    for (const [hostId, nodes] of read) {
      this.#nodesOfHosts.set(
        hostId,
        nodes.map(({ id }) => id),
      );
      for (const node of nodes) this.#nodes.set(node.id, node);
    }
    for (const agent of news.agents) this.#hearOf(agent);
    this.snapshot = news.snapshot;
    this.server = news.server;
  }

  #forgetHost(hostId: number): void {
    for (const id of this.#nodesOfHosts.get(hostId) ?? []) this.#nodes.delete(id);
    this.#nodesOfHosts.delete(hostId);
  }

  #hearOf(agent: AgentRow): void {
    const node = this.#nodes.get(agent.nodeId);
    if (node !== undefined) this.#nodes.set(node.id, { ...node, state: { ...node.state, agent: agentState(agent) } });
  }
}

interface KeptFleetParts {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly events: Events;
}

/** The nodes of all hosts, never older than a reading of the database that begins with the question. One a process. */
export class KeptFleet {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #readings = new MicroBatches<null, LoadedSnapshot>(() => this.#read(), READINGS);
  readonly #unsubscribe: () => void;
  #known = new Knowledge();
  #unused: NodeJS.Timeout | null = null;

  constructor({ pool, clock, events }: KeptFleetParts) {
    this.#pool = pool;
    this.#clock = clock;
    this.#unsubscribe = events.on("gap", () => this.#forget());
  }

  /** What placement decides on, of all hosts: the same as a fresh `loadSnapshot`. */
  snapshot(): Promise<LoadedSnapshot> {
    return this.#readings.add(null);
  }

  close(): void {
    this.#unsubscribe();
    this.#forget();
  }

  async #read(): Promise<() => LoadedSnapshot> {
    const now = this.#clock.now();
    const known = this.#known;
    const news = await this.#ask(known);
    // The database was away meanwhile: what it says now may not follow from what is known.
    if (known !== this.#known) return this.#read();
    known.learn(news);
    this.#keepForAWhile();
    const loaded = composed(known.nodes(), news, now);
    return () => loaded;
  }

  async #ask({ snapshot, server }: Knowledge): Promise<News> {
    try {
      const values = [snapshot, server];
      const { rows } = await this.#pool.query<{ json: string }>({ name: "placement-news", text: NEWS, values });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement above builds exactly this shape
      return JSON.parse(rows[0]?.json ?? "null") as News;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  #keepForAWhile(): void {
    this.#unused ??= setTimeout(() => this.#forget(), LONGEST_UNUSED_MS).unref();
    this.#unused.refresh();
  }

  #forget(): void {
    this.#known = new Knowledge();
    if (this.#unused !== null) clearTimeout(this.#unused);
    this.#unused = null;
  }
}
