// Answers heartbeats on bare node:http: authentication, the wait for work, the answer, the row of the request log.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Access } from "../src/access/authenticate.js";
import type { RequestLog } from "../src/access/requestLog.js";
import { originOf, sourceIp, trustedProxies } from "../src/access/sourceIp.js";
import type { Services } from "../src/context/context.js";
import { requestIdFor, requestIdOf } from "../src/http/requestId.js";
import { Beats, type Arrival } from "./beats.js";
import { readBody } from "./body.js";
import {
  faultAnswer,
  noted,
  OTHER_METHOD,
  refusal,
  refusalOf,
  UNKNOWN_NODE,
  UNKNOWN_TOKEN,
  type Conclusion,
} from "./answer.js";
import { LongPoll, LONGEST_WAIT_SECONDS, type Wait } from "./longPoll.js";
import { readHeartbeat, type DeliveredJob, type Heartbeat } from "./protocol.js";

export const HEARTBEAT_PATH = "/api/v1/agent/heartbeat";

export interface HeartbeatParts {
  readonly services: Services;
  readonly access: Pick<Access, "agentNodeId">;
  readonly requestLog: RequestLog;
}

/** One request. */
interface Knock {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly arrival: Arrival;
}

/** An agent that waits for work; thousands do, so that nothing of what it said is kept. */
interface Waiting {
  readonly nodeId: number;
  readonly node: string;
  readonly wait: Wait;
}

/** The agents' door. */
export class HeartbeatDoor {
  readonly #longPoll: LongPoll;
  readonly #beats: Beats;
  readonly #parts: HeartbeatParts;
  readonly #proxies: ReturnType<typeof trustedProxies>;
  #underWay = 0;
  #waiting = 0;
  #idle: PromiseWithResolvers<void> | null = null;

  constructor(parts: HeartbeatParts) {
    const { pool, clock, events, config } = parts.services;
    this.#longPoll = new LongPoll(events, config.limits.agentsWaiting);
    this.#beats = new Beats({ pool, clock, requestLog: parts.requestLog, path: HEARTBEAT_PATH });
    this.#parts = parts;
    this.#proxies = trustedProxies(config.trustedProxies);
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
    const source = sourceIp(originOf(request), this.#proxies);
    const at = this.#parts.services.clock.now();
    void this.#answer({ request, response, arrival: { at, begin: performance.now(), sourceIp: source } });
  };

  async #answer(knock: Knock): Promise<void> {
    this.#underWay++;
    try {
      const conclusion = await this.#conclusion(knock);
      // Answered once the request is in the log, as every request that changes something.
      if (!conclusion.isLogged) await this.#log(knock, conclusion);
      write(knock, conclusion);
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#idle?.resolve();
    }
  }

  async #conclusion(knock: Knock): Promise<Conclusion> {
    try {
      const begun = await this.#begin(knock);
      return "wait" in begun ? await this.#afterWait(knock, begun) : begun;
    } catch (error) {
      const refused = refusalOf(error);
      if (refused !== null) return refused;
      const requestId = requestIdOf(knock.request, knock.response);
      this.#parts.services.log.error({ err: error, requestId }, "a heartbeat failed");
      return faultAnswer(requestId);
    }
  }

  async #begin({ request, response, arrival }: Knock): Promise<Conclusion | Waiting> {
    const nodeId = await this.#nodeOf(request);
    if (nodeId === null) return UNKNOWN_TOKEN;
    if (request.method !== "POST") return OTHER_METHOD;
    const body = await readBody(request, response);
    if ("problem" in body) return refusal(body.status, body.problem);
    const read = readHeartbeat(body.said);
    if ("problem" in read) return refusal(422, read.problem);
    // Listening begins before the beat's statement looks for work: whatever is made after that look is heard.
    const wait = this.#listen(nodeId, waitMsOf(request, read.beat), response);
    const known = await this.#beats.note({ arrival, nodeId, beat: read.beat, stays: wait !== null });
    if (known === null) return { ...UNKNOWN_NODE, isLogged: true };
    if (wait === null || known.jobs.length > 0) return { ...this.#success(known.node, known.jobs), isLogged: true };
    return { nodeId, node: known.node, wait };
  }

  async #afterWait(knock: Knock, waiting: Waiting): Promise<Conclusion> {
    this.#waiting++;
    try {
      return await this.#findWork(knock, waiting);
    } finally {
      this.#waiting--;
      waiting.wait.end();
    }
  }

  /**
   * News may be of work that is gone by now, or of a time before the wait: only work, or the end of the wait, is an answer. An
   * agent that was answered with nothing ahead of time would pause, and get the next work late.
   */
  async #findWork({ request }: Knock, { nodeId, node, wait }: Waiting): Promise<Conclusion> {
    let jobs: readonly DeliveredJob[] = [];
    for (let isOver = false; ;) {
      // The token may have been replaced, also between its look-up and the beginning of the wait: the work is another agent's.
      if ((await this.#nodeOf(request)) === null) return UNKNOWN_TOKEN;
      if (jobs.length > 0 || isOver) return this.#success(node, jobs);
      isOver = !(await wait.next());
      if (!isOver) jobs = await this.#beats.waiting(nodeId);
    }
  }

  /** Null: the agent wants its answer at once. The wait ends with the request at the latest, however that ends. */
  #listen(nodeId: number, waitMs: number, response: ServerResponse): Wait | null {
    if (waitMs === 0) return null;
    const wait = this.#longPoll.wait(nodeId, waitMs);
    response.on("close", () => wait.end());
    if (response.destroyed) wait.end();
    return wait;
  }

  #nodeOf({ headers }: IncomingMessage): Promise<number | null> {
    return this.#parts.access.agentNodeId(headers.authorization);
  }

  #success(node: string, jobs: readonly DeliveredJob[]): Conclusion {
    return noted(node, jobs, this.#parts.services.config.heartbeatSeconds);
  }

  #log({ request, arrival }: Knock, { status }: Conclusion): Promise<void> {
    return this.#parts.requestLog.recordAnswer({
      at: arrival.at,
      tokenId: null,
      tokenName: null,
      sourceIp: arrival.sourceIp,
      method: request.method ?? "",
      path: HEARTBEAT_PATH,
      status,
      durationMs: performance.now() - arrival.begin,
    });
  }
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
function write({ request, response }: Knock, { status, body, headers = {} }: Conclusion): void {
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
