// Delivers the database's announcements of changes, by any process, to this one: one LISTEN connection, replaced when it is lost.
import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { z } from "zod";
import type { Logger } from "../observability/log.js";

const CHANNEL = "drover";
const RECONNECT_MS = 250;
/** Neither end may notice a cut connection: it is checked at this interval, and replaced when silent. */
const CHECK_EVERY_MS = 15_000;
const ANSWER_MS = 10_000;

const announcement = z.object({ topic: z.string(), id: z.number().int() });

/**
 * The topics of announcements, each with an id. Triggers of the schema changes 5, 14, 16, 26, 43, 49, 50 and 52 send them.
 *
 * - `job`, `migration`, `run`: the record of that id changed;
 * - `guest`: the guest of that id changed, or a job took or released it; `guests`: many guests of the host of that id;
 * - `host`: the connection of the host changed; `hostSeen`: the observed state of the host changed;
 * - `agentJob`: a new job for the agent of the node of that id; `agentResult`: that agent has finished one;
 * - `template`, `address`: a template or an address changed on the host of that id, 0 for all hosts;
 * - `cloneTurn`: a job has ended its turn to clone a template of the host of that id;
 * - `user`, `plan`, `token`, `settings`, without an id: a record of that kind changed;
 * - `request`, without an id: the request log has a new row of a program, or of a refused request;
 * - `access`, without an id: a credential was revoked, an account disabled or enabled, a second factor confirmed or removed, or the
 *   roles that need one changed;
 * - `gap`: emitted locally after a lost connection: announcements may have been missed.
 */
export const TOPICS = [
  "job",
  "migration",
  "run",
  "guest",
  "guests",
  "host",
  "hostSeen",
  "user",
  "plan",
  "template",
  "address",
  "token",
  "settings",
  "request",
  "access",
  "agentJob",
  "agentResult",
  "cloneTurn",
  "gap",
] as const;
export type Topic = (typeof TOPICS)[number];

export interface Events {
  /** Calls `listener` for each announcement of the topic until the returned function is called. */
  on(topic: Topic, listener: (id: number) => void): () => void;
  /** Emits a committed change in this process at once; the database's announcement follows. */
  emitLocal(topic: Topic, id: number): void;
  close(): Promise<void>;
}

interface ListenOptions {
  /** Milliseconds between two checks whether the connection is still alive. */
  readonly checkEveryMs?: number;
  /** Milliseconds after which a connection that does not answer counts as lost. */
  readonly answerMs?: number;
}

/** Opens the LISTEN connection and keeps it open. @throws Error when the first connection fails */
export async function listenForEvents(databaseUrl: string, log: Logger, options: ListenOptions = {}): Promise<Events> {
  const { checkEveryMs = CHECK_EVERY_MS, answerMs = ANSWER_MS } = options;
  const listener = new Listener(databaseUrl, log, answerMs);
  await listener.open(checkEveryMs);
  return listener;
}

class Listener implements Events {
  readonly #databaseUrl: string;
  readonly #log: Logger;
  readonly #answerMs: number;
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #closing = new AbortController();
  /** Null while there is no connection: before the first one, and from the loss of one until the next. */
  #client: Client | null = null;
  /** The connection whose answer to a check is awaited, or never came. */
  #unanswered: Client | null = null;
  #checking: NodeJS.Timeout | undefined;

  constructor(databaseUrl: string, log: Logger, answerMs: number) {
    this.#databaseUrl = databaseUrl;
    this.#log = log;
    this.#answerMs = answerMs;
  }

  async open(checkEveryMs: number): Promise<void> {
    this.#client = await this.#connect();
    this.#checking = setInterval(() => void this.#check(), checkEveryMs).unref();
  }

  on(topic: Topic, listener: (id: number) => void): () => void {
    this.#emitter.on(topic, listener);
    return () => this.#emitter.off(topic, listener);
  }

  emitLocal(topic: Topic, id: number): void {
    this.#emitter.emit(topic, id);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#checking);
    this.#client?.removeAllListeners("end");
    await this.#client?.end();
  }

  /** @throws Error when the database cannot be reached */
  async #connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.#databaseUrl,
      application_name: "drover events",
      keepAlive: true,
      connectionTimeoutMillis: this.#answerMs,
      query_timeout: this.#answerMs,
    });
    client.on("notification", ({ payload }) => this.#receive(payload ?? ""));
    client.on("error", (error) => this.#log.warn({ err: error }, "events connection lost"));
    client.on("end", () => void this.#replace(client));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      client.removeAllListeners("end");
      await this.#discard(client, "closing a failed events connection");
      throw error;
    }
    return client;
  }

  #receive(payload: string): void {
    const parsed = announcement.safeParse(parsedJson(payload));
    if (parsed.success) this.#emitter.emit(parsed.data.topic, parsed.data.id);
    else this.#log.warn({ payload }, "unreadable announcement");
  }

  async #check(): Promise<void> {
    const checked = this.#client;
    if (checked === null || this.#unanswered === checked) return;
    this.#unanswered = checked;
    try {
      await checked.query("select");
      this.#unanswered = null;
    } catch (error) {
      // The end of the connection may already be handled.
      if (checked !== this.#client || this.#closing.signal.aborted) return;
      this.#log.warn({ err: error }, "events connection is silent; replacing it");
      void this.#discard(checked, "closing a silent events connection");
      await this.#replace(checked);
    }
  }

  async #replace(lost: Client): Promise<void> {
    if (lost !== this.#client) return;
    this.#client = null;
    lost.removeAllListeners("end").removeAllListeners("notification");
    await this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await delay(RECONNECT_MS, undefined, { signal });
        const client = await this.#connect();
        if (signal.aborted) return await client.end();
        this.#client = client;
        this.#emitter.emit("gap", 0);
        return;
      } catch (error) {
        if (!signal.aborted) this.#log.debug({ err: error }, "events connection still down");
      }
    }
  }

  async #discard(client: Client, doing: string): Promise<void> {
    await client.end().catch((error: unknown) => this.#log.debug({ err: error }, doing));
  }
}

/** Any database user can send a notification. @returns undefined when it is not JSON */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
