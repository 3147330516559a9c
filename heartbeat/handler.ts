// Answers heartbeats on bare node:http: authentication, the wait for work, the answer, the row of the request log.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Admission } from "../src/access/admission/admission.js";
import { MOST_BODY_BYTES } from "../src/access/admission/body.js";
import type { IncomingRequest } from "../src/access/admission/incomingRequest.js";
import type { Stopwatch } from "../src/concurrency/stopwatch.js";
import type { Services } from "../src/context/context.js";
import { requestIdFor } from "../src/http/requestId.js";
import {
  faultAnswer,
  noted,
  OTHER_METHOD,
  refusal,
  refusalOf,
  UNKNOWN_NODE,
  UNKNOWN_TOKEN,
  UNREADABLE,
  type HeartbeatAnswer,
} from "./answer.js";
import { Beats } from "./beats.js";
import { readFields } from "./body.js";
import { LongPoll, LONGEST_WAIT_SECONDS, type AgentWait } from "./longPoll.js";
import { NodeRate } from "./nodeRate.js";
import { readHeartbeat, type DeliveredJob, type Heartbeat } from "./protocol.js";

export const HEARTBEAT_PATH = "/api/v1/agent/heartbeat";

export interface HeartbeatParts {
  readonly services: Services;
  readonly admission: Admission;
  /** What waits for work are timed by. Default: the machine's time. */
  readonly stopwatch?: Stopwatch;
}

/** An agent that waits for work; thousands do, so that nothing of what it said is kept. */
interface Waiting {
  readonly nodeId: number;
  readonly node: string;
  readonly wait: AgentWait;
}

export class HeartbeatHandler {
  readonly #longPoll: LongPoll;
  readonly #beats: Beats;
  readonly #rate = new NodeRate();
  readonly #parts: HeartbeatParts;
  #underWay = 0;
  #waiting = 0;
  #idle: PromiseWithResolvers<void> | null = null;

  constructor(parts: HeartbeatParts) {
    const { pool, clock, events, config } = parts.services;
    this.#longPoll = new LongPoll(events, config.limits.agentsWaiting, parts.stopwatch);
    const { requestLog } = parts.admission;
    this.#beats = new Beats({ pool, clock, requestLog, path: HEARTBEAT_PATH });
    this.#parts = parts;
  }

  /** How many agents wait for work now: their beats are noted. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Answers everybody who waits, and ends when all of it is in the log, also of agents that hung up: the server stops. */
  async close(): Promise<void> {
    this.#longPoll.close();
    if (this.#underWay === 0) return;
    this.#idle ??= Promise.withResolvers();
    await this.#idle.promise;
  }

  /** Answers one request, whatever comes of it. */
  readonly answer = (request: IncomingMessage, response: ServerResponse): void => {
    void this.#answer(this.#parts.admission.receive(request, response, HEARTBEAT_PATH));
  };

  async #answer(incoming: IncomingRequest): Promise<void> {
    this.#underWay++;
    try {
      const answer = await this.#answerTo(incoming);
      // Answered once the request is in the log, as every request that changes something.
      if (!answer.isLogged) await incoming.logNow(answer.status);
      if (answer.status >= 400) await incoming.paceRefusal(answer.status);
      write(incoming, answer);
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#idle?.resolve();
    }
  }

  async #answerTo(incoming: IncomingRequest): Promise<HeartbeatAnswer> {
    try {
      const begun = await this.#begin(incoming);
      return "wait" in begun ? await this.#afterWait(incoming, begun) : begun;
    } catch (error) {
      const refused = refusalOf(error);
      if (refused !== null) return refused;
      const requestId = incoming.id;
      this.#parts.services.log.error({ err: error, requestId }, "a heartbeat failed");
      return faultAnswer(requestId);
    }
  }

  async #begin(incoming: IncomingRequest): Promise<HeartbeatAnswer | Waiting> {
    const { request, response, record } = incoming;
    const nodeId = await incoming.agentNodeId();
    if (nodeId === null) return UNKNOWN_TOKEN;
    if (request.method !== "POST") return OTHER_METHOD;
    const fields = readFields(await this.#bodyOf(incoming, nodeId), request.headers["content-type"]);
    if (fields === undefined) return UNREADABLE;
    const read = readHeartbeat(fields);
    if ("problem" in read) return refusal(422, read.problem);
    // Listening begins before the statement of the heartbeat looks for work: no job that is made after that look is missed.
    const wait = this.#listen(nodeId, waitMsOf(request, read.beat), response);
    const known = await this.#beats.note({ arrival: record, nodeId, beat: read.beat, stays: wait !== null });
    if (known === null) return { ...UNKNOWN_NODE, isLogged: true };
    if (wait === null || known.jobs.length > 0) return { ...this.#success(known.node, known.jobs), isLogged: true };
    return { nodeId, node: known.node, wait };
  }

  /** A heartbeat that is one too many costs no more than its head. @throws DroverError `rateLimited`; as `readBody` */
  async #bodyOf(incoming: IncomingRequest, nodeId: number): Promise<Buffer> {
    const declared = declaredBytes(incoming.request);
    this.#rate.count(nodeId, declared);
    const body = await incoming.readBody();
    if (declared === 0 && body.length > 0) this.#rate.count(nodeId, body.length);
    return body;
  }

  async #afterWait(incoming: IncomingRequest, waiting: Waiting): Promise<HeartbeatAnswer> {
    this.#waiting++;
    try {
      return await this.#findWork(incoming, waiting);
    } finally {
      this.#waiting--;
      waiting.wait.end();
    }
  }

  /**
   * An announcement may concern work that is gone, or predate the wait: only work, or the end of the wait, is an answer. An
   * agent that was answered with nothing ahead of time would pause, and get the next work late.
   */
  async #findWork(incoming: IncomingRequest, { nodeId, node, wait }: Waiting): Promise<HeartbeatAnswer> {
    let jobs: readonly DeliveredJob[] = [];
    for (let isOver = false; ;) {
      // The token may have been replaced, also between its look-up and the beginning of the wait: the work is another agent's.
      if ((await incoming.agentNodeId()) === null) return UNKNOWN_TOKEN;
      if (jobs.length > 0 || isOver) return this.#success(node, jobs);
      isOver = !(await wait.next());
      if (!isOver) jobs = await this.#beats.waiting(nodeId);
    }
  }

  /** Null: the agent wants its answer at once. The wait ends with the request at the latest, however that ends. */
  #listen(nodeId: number, waitMs: number, response: ServerResponse): AgentWait | null {
    if (waitMs === 0) return null;
    const wait = this.#longPoll.wait(nodeId, waitMs);
    response.on("close", () => wait.end());
    if (response.destroyed) wait.end();
    return wait;
  }

  #success(node: string, jobs: readonly DeliveredJob[]): HeartbeatAnswer {
    return noted(node, jobs, this.#parts.services.config.heartbeatSeconds);
  }
}

/** Bytes of a body that says beforehand how large it is, and may be so large; 0: it is counted when it is read. */
function declaredBytes({ headers }: IncomingMessage): number {
  const bytes = headers["content-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : 0;
  return bytes <= MOST_BODY_BYTES ? bytes : 0;
}

/** Milliseconds of `?wait=<seconds>`. Results are acknowledged at once, so that the agent can forget them. */
function waitMsOf({ url = "" }: IncomingMessage, { results }: Heartbeat): number {
  const query = url.indexOf("?");
  if (query < 0 || results.length > 0) return 0;
  const [seconds, ...more] = new URLSearchParams(url.slice(query)).getAll("wait").map(Number);
  if (seconds === undefined || !(seconds > 0) || more.length > 0) return 0;
  return Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000;
}

/** An array of headers is written as it is, without a look-up for each. */
function write({ request, response }: IncomingRequest, { status, body, headers = {} }: HeartbeatAnswer): void {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, [
    "X-Request-Id",
    requestIdFor(request, response),
    "Content-Type",
    "application/json; charset=utf-8",
    "Content-Length",
    String(Buffer.byteLength(text)),
    ...Object.entries(headers).flat(),
  ]);
  response.end(text);
}
