// Writes heartbeats and their rows of the request log: all that arrive while the database is busy share one statement, and each is answered after its commit.
import type { Pool } from "pg";
import type { RequestRecord } from "../src/access/admission/requestRecord.js";
import { REQUEST_LOG_COLUMNS, type RequestLog } from "../src/access/requestLog.js";
import type { Clock } from "../src/concurrency/clock.js";
import { MicroBatches } from "../src/concurrency/microBatches.js";
import type { DeliveredJob, Heartbeat } from "./protocol.js";

const STATEMENTS_AT_ONCE = 1;
const BEATS_A_STATEMENT = 1_000;
const MOST_WAITING = 20_000;

// Results name their own node's jobs only; a result that is repeated changes nothing. The nodes' ids are told beside the beats
// so that rows are found by index, whatever PostgreSQL thinks of how many there are. A beat that stays until there is work is
// logged when it is answered.
const BEAT = `
  with beat as (
    select * from json_to_recordset($1) as b (node_id int, version text, healthy boolean, problems text[],
      nat boolean, address text)
  ), seen as (
    update agent a set version = b.version, healthy = b.healthy, problems = b.problems,
      nat_configured = b.nat, public_address = b.address, last_seen_at = $3
    from beat b where a.node_id = b.node_id and a.node_id = any($4)
  ), result as (
    select * from json_to_recordset($2) as r (node_id int, id uuid, status text, error text, data jsonb)
  ), settled as (
    update agent_job j set status = r.status, data = coalesce(r.data, '{}'), finished_at = service_now(),
      error = case when r.status = 'failed' then coalesce(r.error, 'the agent gave no reason') end
    from result r where j.id = r.id and j.node_id = r.node_id and j.status = 'waiting'
  ), answer as (
    select n.name as node, n.id as node_id, (
      select json_agg(json_build_object('id', j.id, 'kind', j.kind, 'payload', j.payload,
        'deadline', to_char(j.deadline at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by j.created_at)
      from agent_job j where j.node_id = n.id and j.status = 'waiting' and j.deadline > now()
        and (j.node_id, j.id) not in (select node_id, id from result)) as jobs
    from node n where n.id = any($4)
  ), logged as (
    insert into request_log (${REQUEST_LOG_COLUMNS})
    select l.at, null, null, l.source_ip, 'POST', $6, case when a.node_id is null then 404 else 200 end,
      l.ms + (select date_part('epoch', clock_timestamp() - statement_timestamp()) * 1000)::real
    from json_to_recordset($5) as l (node_id int, at timestamptz, source_ip text, ms real, stays boolean)
    left join answer a on a.node_id = l.node_id
    where not l.stays or a.node_id is null or a.jobs is not null
  )
  select node, node_id as "nodeId", jobs from answer`;

const WAITING = `
  select coalesce(json_agg(json_build_object('id', j.id, 'kind', j.kind, 'payload', j.payload,
    'deadline', to_char(j.deadline at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by j.created_at), '[]') as jobs
  from agent_job j where j.node_id = $1 and j.status = 'waiting' and j.deadline > now()`;

/** A result of a job that this database never gave out is nobody's: it must not silence the agent. */
const JOB_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** What a beat is answered from. */
interface Noted {
  readonly node: string;
  readonly jobs: readonly DeliveredJob[];
}

/** A beat that came in, with what its line in the request log tells. */
interface Arrived {
  readonly arrival: Pick<RequestRecord, "at" | "begin" | "sourceIp">;
  readonly nodeId: number;
  readonly beat: Heartbeat;
  /** It is not answered before there is work, and logged then, not now; unless its node is gone or has work already. */
  readonly stays: boolean;
}

interface BeatsParts {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly requestLog: Pick<RequestLog, "makeRoom">;
  /** Of the requests, for their lines in the log. */
  readonly path: string;
}

export class Beats {
  readonly #parts: BeatsParts;
  readonly #batches: MicroBatches<Arrived, Noted | null>;

  constructor(parts: BeatsParts) {
    this.#parts = parts;
    this.#batches = new MicroBatches((batch) => this.#write(batch), {
      atOnce: STATEMENTS_AT_ONCE,
      largest: BEATS_A_STATEMENT,
      mostWaiting: MOST_WAITING,
    });
  }

  /** Notes a heartbeat and logs its request. @returns null when the node is gone */
  note(arrived: Arrived): Promise<Noted | null> {
    return this.#batches.add(arrived);
  }

  /** Jobs that wait for a node now. */
  async waiting(nodeId: number): Promise<readonly DeliveredJob[]> {
    const { rows } = await this.#parts.pool.query<{ jobs: DeliveredJob[] }>({
      name: "agent-jobs-waiting",
      text: WAITING,
      values: [nodeId],
    });
    return rows[0]?.jobs ?? [];
  }

  async #write(batch: readonly Arrived[]): Promise<(arrived: Arrived) => Noted | null> {
    const { pool, clock, requestLog, path } = this.#parts;
    await requestLog.makeRoom(batch.map(({ arrival }) => arrival));
    // One row a node, in one order everywhere: a statement may not touch a row twice, and two must not wait for each other.
    const newest = new Map(batch.map(({ nodeId, beat }) => [nodeId, beat]));
    const beats = [...newest].toSorted(([left], [right]) => left - right);
    const { rows } = await pool.query<AnswerRow>({
      name: "heartbeats",
      text: BEAT,
      values: [
        JSON.stringify(beats.map(beatRecord)),
        JSON.stringify(distinctResults(batch)),
        clock.now(),
        beats.map(([nodeId]) => nodeId),
        JSON.stringify(batch.map(logRecord)),
        path,
      ],
    });
    const noted = new Map(rows.map(({ nodeId, node, jobs }) => [nodeId, { node, jobs: jobs ?? [] }]));
    return ({ nodeId }) => noted.get(nodeId) ?? null;
  }
}

interface AnswerRow {
  readonly nodeId: number;
  readonly node: string;
  /** Null: none. */
  readonly jobs: readonly DeliveredJob[] | null;
}

const beatRecord = ([nodeId, beat]: [number, Heartbeat]) => ({
  node_id: nodeId,
  version: beat.agent_version,
  healthy: beat.healthy,
  problems: beat.problems,
  nat: beat.nat_configured,
  address: beat.public_address,
});

/** Of each node's own: whatever jobs another agent names, it neither hides nor answers them. */
function distinctResults(batch: readonly Arrived[]): readonly object[] {
  const results = batch.flatMap(({ nodeId, beat }) =>
    beat.results.filter(({ id }) => JOB_ID.test(id)).map((result) => ({ node_id: nodeId, ...result })),
  );
  return [...new Map(results.map((result) => [`${result.node_id} ${result.id}`, result])).values()];
}

const logRecord = ({ nodeId, arrival, stays }: Arrived) => ({
  node_id: nodeId,
  at: arrival.at,
  ms: performance.now() - arrival.begin,
  source_ip: arrival.sourceIp,
  stays,
});
