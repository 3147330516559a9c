// Runs the GraphQL door over real HTTP and WebSocket, on a database of its own.
import express from "express";
import { createClient, type Client } from "graphql-ws";
import { EventEmitter, once } from "node:events";
import { WebSocket } from "ws";
import { z } from "zod";
import { mountGraphql } from "../../../graphql/mount.js";
import { openAccess, type Access } from "../../../src/access/authenticate.js";
import type { Pressure } from "../../../src/access/admission/load.js";
import { RequestLog } from "../../../src/access/requestLog.js";
import type { Stopwatch } from "../../../src/concurrency/stopwatch.js";
import type { Events, Topic } from "../../../src/events/events.js";
import { admissionOf } from "../../support/admission.js";
import { keptServer } from "../../support/keptServer.js";
import { createTestServices, type TestParts, type TestServices } from "../../support/services.js";

export interface GraphqlService {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly services: TestServices;
  readonly access: Access;
  readonly requestLog: RequestLog;
  /** Resolves when this many subscribers listen to the topic. */
  listeners(topic: Topic, count: number): Promise<void>;
  /** Resolves when this many subscribers follow guests. */
  followers(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A number that is waited for. */
class Count {
  #present = 0;
  readonly #changes = new EventEmitter();

  /** @returns what takes it off, once: it may be called again */
  add(): () => void {
    this.#change(1);
    let isOn = true;
    return () => {
      if (isOn) this.#change(-1);
      isOn = false;
    };
  }

  #change(by: number): void {
    this.#present += by;
    this.#changes.emit("change");
  }

  async until(wanted: number): Promise<void> {
    while (this.#present !== wanted) await once(this.#changes, "change");
  }
}

/** Announcements whose listeners are counted. */
function counted(events: Events): Events & Pick<GraphqlService, "listeners"> {
  const counts = new Map<Topic, Count>();
  const of = (topic: Topic): Count => {
    const count = counts.get(topic) ?? new Count();
    counts.set(topic, count);
    return count;
  };
  return {
    emitLocal: (...announcement) => events.emitLocal(...announcement),
    close: () => events.close(),
    on(topic, heard) {
      const off = events.on(topic, heard);
      const takeOff = of(topic).add();
      return () => {
        off();
        takeOff();
      };
    },
    listeners: (topic, count) => of(topic).until(count),
  };
}

type Audience = TestServices["guestAudience"];

const countedAudience = (audience: Audience, count: Count): Audience => ({
  follow(follower) {
    const end = audience.follow(follower);
    const takeOff = count.add();
    return () => {
      end();
      takeOff();
    };
  },
});

/** What decides who comes in, and when. */
interface DoorParts {
  readonly pressure?: Pressure;
  /** What pauses of refusals are timed by. */
  readonly stopwatch?: Stopwatch;
}

/** Starts the door on a free port. Requests from 127.0.0.1 are believed to be forwarded. */
export async function startGraphql(parts: TestParts = {}, door: DoorParts = {}): Promise<GraphqlService> {
  const made = await createTestServices({ config: { trustedProxies: ["127.0.0.1"] }, ...parts });
  const events = counted(made.events);
  const following = new Count();
  const services = { ...made, events, guestAudience: countedAudience(made.guestAudience, following) };
  const access = openAccess(services);
  const requestLog = new RequestLog(services);
  const app = express();
  const server = keptServer(app);
  const admission = admissionOf(services, { access, requestLog, ...door });
  const graphql = await mountGraphql(app, server, { services, admission });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    services,
    access,
    requestLog,
    listeners: events.listeners,
    followers: (count) => following.until(count),
    async close() {
      await graphql.close();
      server.close();
      server.closeAllConnections();
      await Promise.all([access.close(), requestLog.close()]);
      await services.close();
    },
  };
}

const answer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z
    .array(
      z.object({
        message: z.string(),
        path: z.array(z.union([z.string(), z.number()])).optional(),
        extensions: z.looseObject({ code: z.string(), reason: z.string().optional() }),
      }),
    )
    .optional(),
});

/** A GraphQL answer with its HTTP side. */
interface GraphqlAnswer extends z.infer<typeof answer> {
  readonly status: number;
  readonly headers: Headers;
}

interface GraphqlRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  /** Value of a token; null or left out for none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends an operation over HTTP. */
export async function ask(service: GraphqlService, request: GraphqlRequest): Promise<GraphqlAnswer> {
  const { query, variables, operationName, token, headers } = request;
  const response = await fetch(`${service.origin}/graphql`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(token === null || token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ query, variables, operationName }),
  });
  return { ...answer.parse(await response.json()), status: response.status, headers: response.headers };
}

/** Connects over WebSocket with this token; no reconnecting. */
export const connect = (
  service: GraphqlService,
  token: string,
  on: Parameters<typeof createClient>[0]["on"] = {},
): Client =>
  createClient({
    url: `${service.origin.replace("http", "ws")}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
    lazy: true,
    on,
  });
