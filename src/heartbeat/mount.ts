// The agents' own door, `POST /api/v1/agent/heartbeat`: outside GraphQL, because thousands of nodes knock every few seconds.
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import type { Access } from "../access/authenticate.js";
import { refusalFor } from "../access/databaseTrouble.js";
import type { RequestLog } from "../access/requestLog.js";
import { originOf, sourceIp, trustedProxies } from "../access/sourceIp.js";
import type { Services } from "../context.js";
import { httpStatusOf } from "../errors.js";
import { REQUIRED_AGENT_VERSION } from "../core/version.js";
import { Beats, type Noted } from "./beats.js";
import { LongPoll, LONGEST_WAIT_SECONDS, type Wait } from "./longPoll.js";
import { unspelled, unspelledForm } from "./spelling.js";
import { readHeartbeat, type DeliveredJob, type Heartbeat } from "./protocol.js";

const PATH = "/api/v1/agent/heartbeat";
const LARGEST_BODY = "1mb";
const bodyReaders = [
  express.json({ limit: LARGEST_BODY }),
  express.urlencoded({ limit: LARGEST_BODY, extended: false }),
] as const;

export interface HeartbeatParts {
  readonly services: Services;
  readonly access: Pick<Access, "agentNodeId">;
  readonly requestLog: RequestLog;
}

/** The agents' door as it is mounted. */
export interface MountedHeartbeat {
  /** How many agents wait for work now. */
  waiting(): number;
  /** Answers everybody who waits, and ends when all of it is in the log, also of agents that hung up: the server stops. */
  close(): Promise<void>;
}

/** Mounts the door; must come before the routes of REST v1. */
export function mountHeartbeat(app: Express, parts: HeartbeatParts): MountedHeartbeat {
  const door = new HeartbeatDoor(parts);
  const { arrived, authenticated, otherMethod, refuseFailed } = door;
  const running = new Set<Promise<void>>();
  const answer = async (request: Request, response: Response): Promise<void> => {
    const answering = door.answer(request, response);
    running.add(answering);
    await answering.finally(() => running.delete(answering));
  };
  app.post(PATH, arrived, authenticated, ...bodyReaders, answer, refuseFailed);
  app.all(PATH, arrived, authenticated, otherMethod, refuseFailed);
  return {
    waiting: () => door.longPoll.count,
    async close() {
      door.longPoll.close();
      await Promise.allSettled(running);
    },
  };
}

class HeartbeatDoor {
  readonly longPoll: LongPoll;
  readonly #beats: Beats;
  readonly #parts: HeartbeatParts;
  readonly #proxies: ReturnType<typeof trustedProxies>;

  constructor(parts: HeartbeatParts) {
    const { pool, clock, events, config } = parts.services;
    this.longPoll = new LongPoll(events);
    this.#beats = new Beats(pool, () => clock.now());
    this.#parts = parts;
    this.#proxies = trustedProxies(config.trustedProxies);
  }

  readonly arrived = (_request: Request, response: Response, next: NextFunction): void => {
    response.locals["at"] = this.#parts.services.clock.now();
    response.locals["begin"] = performance.now();
    next();
  };

  readonly authenticated = async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const nodeId = await this.#nodeOf(request);
    if (nodeId === null) return this.#conclude(request, response, UNKNOWN_TOKEN);
    response.locals["nodeId"] = nodeId;
    next();
  };

  readonly answer = async (request: Request, response: Response): Promise<void> => {
    const read = readHeartbeat(isForm(request) ? unspelledForm(request.body) : unspelled(request.body));
    if ("problem" in read) return this.#conclude(request, response, refusal(422, read.problem));
    const nodeId = Number(response.locals["nodeId"]);
    // Listening begins before the beat's statement looks for work: whatever is made after that look is heard.
    const wait = this.#listen(nodeId, waitMsOf(request, read.beat), response);
    try {
      const noted = await this.#beats.note(nodeId, read.beat);
      await this.#conclude(request, response, await this.#conclusion(request, noted, { nodeId, wait }));
    } finally {
      wait?.end();
    }
  };

  readonly otherMethod = (request: Request, response: Response): Promise<void> =>
    this.#conclude(request, response.set("Allow", "POST"), refusal(405, "heartbeats are sent by POST"));

  /** Bodies that are no JSON, or too large; a database that cannot serve. Anything else is not for this door to answer. */
  readonly refuseFailed = async (
    error: unknown,
    request: Request,
    response: Response,
    next: NextFunction,
  ): Promise<void> => {
    const status = error instanceof Error ? Reflect.get(error, "status") : undefined;
    if (status === 413) return this.#conclude(request, response, refusal(413, "the body is larger than 1 MiB"));
    if (status === 400 || status === 415) {
      return this.#conclude(request, response, refusal(422, "the body is no JSON"));
    }
    const refused = refusalFor(error);
    if (refused !== null) {
      response.set("Retry-After", String(refused.retryAfterSeconds));
      return this.#conclude(request, response, refusal(httpStatusOf[refused.kind], refused.message));
    }
    next(error);
  };

  /** Null: the agent wants its answer at once. */
  #listen(nodeId: number, waitMs: number, response: Response): Wait | null {
    if (waitMs === 0) return null;
    const wait = this.longPoll.wait(nodeId, waitMs);
    response.once("close", wait.end);
    if (response.destroyed) wait.end();
    return wait;
  }

  async #conclusion(request: Request, noted: Noted | null, { nodeId, wait }: Waiting): Promise<Conclusion> {
    if (noted === null) return refusal(404, "the node is no longer known");
    if (wait === null || noted.jobs.length > 0) return this.#success(noted.node, noted.jobs);
    const jobs = (await wait.hasNews) ? await this.#beats.waiting(nodeId) : [];
    // The token may have been replaced meanwhile: then the work is for another agent.
    const isReplaced = (await this.#nodeOf(request)) === null;
    return isReplaced ? UNKNOWN_TOKEN : this.#success(noted.node, jobs);
  }

  #nodeOf({ headers }: Request): Promise<number | null> {
    return this.#parts.access.agentNodeId(headers.authorization);
  }

  /** Answers once the request is in the log, as every request that may have changed something. */
  async #conclude(request: Request, response: Response, { status, body }: Conclusion): Promise<void> {
    const { at, begin } = response.locals;
    await this.#parts.requestLog.recordAnswer({
      at,
      tokenId: null,
      tokenName: null,
      sourceIp: sourceIp(originOf(request), this.#proxies),
      method: request.method,
      path: PATH,
      status,
      durationMs: performance.now() - begin,
    });
    if (status === 401) response.set("WWW-Authenticate", "Bearer");
    if (!response.destroyed) response.status(status).json(body);
  }

  #success(node: string, jobs: readonly DeliveredJob[]): Conclusion {
    const data = {
      node,
      interval_seconds: this.#parts.services.config.heartbeatSeconds,
      required_version: REQUIRED_AGENT_VERSION,
      jobs,
    };
    return { status: 200, body: { success: true, data, error: null } };
  }
}

const isForm = (request: Request): boolean => request.is("application/x-www-form-urlencoded") !== false;

/** Milliseconds of `?wait=<seconds>`. Results are acknowledged at once, so that the agent can forget them. */
function waitMsOf({ query }: Request, { results }: Heartbeat): number {
  const seconds = Number(query["wait"]);
  return seconds > 0 && results.length === 0 ? Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000 : 0;
}

interface Waiting {
  readonly nodeId: number;
  readonly wait: Wait | null;
}

interface Conclusion {
  readonly status: number;
  readonly body: object;
}

const refusal = (status: number, error: string): Conclusion => ({
  status,
  body: { success: false, data: null, error },
});

const UNKNOWN_TOKEN: Conclusion = {
  status: 401,
  body: { error: "The agent token is missing, unknown or was replaced" },
};
