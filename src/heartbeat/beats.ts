// Writes heartbeats in shared batches: all that arrive while the database is busy go in one statement, and each is answered after its commit.
import type { Pool } from "pg";
import { MicroBatches } from "../microBatches.js";
import type { DeliveredJob, Heartbeat } from "./protocol.js";

const STATEMENTS_AT_ONCE = 2;
const BEATS_A_STATEMENT = 1_000;
const MOST_WAITING = 20_000;

// Results name their own node's jobs only; a result that is repeated changes nothing.
const BEAT = `
  with beat as (
    select * from json_to_recordset($1) as b (node_id int, version text, healthy boolean, problems text[],
      nat boolean, address text)
  ), seen as (
    update agent a set version = b.version, healthy = b.healthy, problems = b.problems,
      nat_configured = b.nat, public_address = b.address, last_seen_at = $3
    from beat b where a.node_id = b.node_id
  ), result as (
    select * from json_to_recordset($2) as r (node_id int, id uuid, status text, error text, data jsonb)
  ), settled as (
    update agent_job j set status = r.status, data = coalesce(r.data, '{}'), finished_at = now(),
      error = case when r.status = 'failed' then coalesce(r.error, 'the agent gave no reason') end
    from result r where j.id = r.id and j.node_id = r.node_id and j.status = 'waiting'
  )
  select n.name as node, b.node_id as "nodeId", coalesce((
    select json_agg(json_build_object('id', j.id, 'kind', j.kind, 'payload', j.payload,
      'deadline', to_char(j.deadline at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by j.created_at)
    from agent_job j where j.node_id = b.node_id and j.status = 'waiting' and j.deadline > now()
      and j.id not in (select id from result)), '[]') as jobs
  from beat b join node n on n.id = b.node_id`;

const WAITING = `
  select coalesce(json_agg(json_build_object('id', j.id, 'kind', j.kind, 'payload', j.payload,
    'deadline', to_char(j.deadline at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by j.created_at), '[]') as jobs
  from agent_job j where j.node_id = $1 and j.status = 'waiting' and j.deadline > now()`;

/** A result of a job that this database never gave out is nobody's: it must not silence the agent. */
const JOB_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** What a beat is answered from. */
export interface Noted {
  readonly node: string;
  readonly jobs: readonly DeliveredJob[];
}

interface Arrived {
  readonly nodeId: number;
  readonly beat: Heartbeat;
}

export class Beats {
  readonly #pool: Pool;
  readonly #present: () => Date;
  readonly #batches: MicroBatches<Arrived, Noted | null>;

  constructor(pool: Pool, present: () => Date) {
    this.#pool = pool;
    this.#present = present;
    this.#batches = new MicroBatches((batch) => this.#write(batch), {
      atOnce: STATEMENTS_AT_ONCE,
      largest: BEATS_A_STATEMENT,
      mostWaiting: MOST_WAITING,
    });
  }

  /** Notes a heartbeat. @returns null when the node is gone */
  note(nodeId: number, beat: Heartbeat): Promise<Noted | null> {
    return this.#batches.add({ nodeId, beat });
  }

  /** Jobs that wait for a node now. */
  async waiting(nodeId: number): Promise<readonly DeliveredJob[]> {
    const { rows } = await this.#pool.query<{ jobs: DeliveredJob[] }>({
      name: "agent-jobs-waiting",
      text: WAITING,
      values: [nodeId],
    });
    return rows[0]?.jobs ?? [];
  }

  async #write(batch: readonly Arrived[]): Promise<(arrived: Arrived) => Noted | null> {
    // One row a node, in one order everywhere: a statement may not touch a row twice, and two must not wait for each other.
    const newest = new Map(batch.map(({ nodeId, beat }) => [nodeId, beat]));
    const beats = [...newest].toSorted(([left], [right]) => left - right).map(beatRecord);
    const results = batch.flatMap(({ nodeId, beat }) =>
      beat.results.filter(({ id }) => JOB_ID.test(id)).map((result) => ({ node_id: nodeId, ...result })),
    );
    const distinct = [...new Map(results.map((result) => [result.id, result])).values()];
    const { rows } = await this.#pool.query<{ nodeId: number; node: string; jobs: DeliveredJob[] }>({
      name: "heartbeats",
      text: BEAT,
      values: [JSON.stringify(beats), JSON.stringify(distinct), this.#present()],
    });
    const noted = new Map(rows.map(({ nodeId, ...node }) => [nodeId, node]));
    return ({ nodeId }) => noted.get(nodeId) ?? null;
  }
}

const beatRecord = ([nodeId, beat]: [number, Heartbeat]) => ({
  node_id: nodeId,
  version: beat.agent_version,
  healthy: beat.healthy,
  problems: beat.problems,
  nat: beat.nat_configured,
  address: beat.public_address,
});
