// Writes heartbeats and their rows of the request log: all that arrive while the database is busy share one statement, and each is answered after its commit.
import type { Pool } from "pg";
import type { RequestRecord } from "../src/access/admission/requestRecord.js";
import type { RequestLog } from "../src/access/requestLog.js";
import type { Clock } from "../src/concurrency/clock.js";
import { MicroBatches } from "../src/concurrency/microBatches.js";
import * as agentReports from "../src/store/agentReport.js";
import type { DeliveredJob, Heartbeat } from "./protocol.js";

const STATEMENTS_AT_ONCE = 1;
const BEATS_A_STATEMENT = 1_000;
const MOST_WAITING = 20_000;

/** A result of a job that this database never gave out is nobody's: it must not silence the agent. */
const JOB_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** What a beat is answered from. */
interface Noted {
  readonly node: string;
  readonly jobs: readonly DeliveredJob[];
}

/** A received beat, with the values of its row in the request log. */
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
  waiting(nodeId: number): Promise<readonly DeliveredJob[]> {
    return agentReports.waitingJobs(this.#parts.pool, nodeId);
  }

  async #write(batch: readonly Arrived[]): Promise<(arrived: Arrived) => Noted | null> {
    const { pool, clock, requestLog, path } = this.#parts;
    await requestLog.makeRoom(batch.map(({ arrival }) => arrival));
    const newest = new Map(batch.map(({ nodeId, beat }) => [nodeId, beat]));
    const nodes = await agentReports.record(pool, {
      reports: Array.from(newest, reportOf).toSorted((left, right) => left.nodeId - right.nodeId),
      results: distinctResults(batch),
      at: clock.now(),
      lines: batch.map(lineOf),
      path,
    });
    const noted = new Map(nodes.map(({ nodeId, node, jobs }) => [nodeId, { node, jobs: jobs ?? [] }]));
    return ({ nodeId }) => noted.get(nodeId) ?? null;
  }
}

const reportOf = ([nodeId, beat]: [number, Heartbeat]) => ({
  nodeId,
  version: beat.agent_version,
  healthy: beat.healthy,
  problems: beat.problems,
  natConfigured: beat.nat_configured,
  publicAddress: beat.public_address ?? null,
});

/** Of each node's own: whatever jobs another agent names, it neither hides nor answers them. */
function distinctResults(batch: readonly Arrived[]) {
  const results = batch.flatMap(({ nodeId, beat }) =>
    beat.results.filter(({ id }) => JOB_ID.test(id)).map((result) => ({ nodeId, ...result })),
  );
  return [...new Map(results.map((result) => [`${result.nodeId} ${result.id}`, result])).values()];
}

const lineOf = ({ nodeId, arrival, stays }: Arrived) => ({
  nodeId,
  at: arrival.at,
  durationMs: performance.now() - arrival.begin,
  sourceIp: arrival.sourceIp,
  stays,
});
