// News between processes: the database announces what changed, every process hears it over one LISTEN connection.
import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { z } from "zod";
import type { Logger } from "./log.js";

const CHANNEL = "drover";
const RECONNECT_MS = 250;
/** A connection that is silently cut says nothing of it: it is asked from time to time, and given up without an answer. */
const LOOK_EVERY_MS = 15_000;
const ANSWER_MS = 10_000;

const announcement = z.object({ topic: z.string(), id: z.number().int() });

/**
 * What the database announces (schema change 5): `job`, `migration`, `run` and `guest` with their id (schema change 26: also when a job takes or leaves it), `guests` with a host's id (many at once),
 * `host` (connection changed), `hostSeen` (what is known of a host changed: schema change 14), `access` (something was revoked), `agentJob` and `agentResult` with a node's id (an agent has
 * something to do, or did it). Schema change 16: `template` and `address` with a host's id (0: of every host), and without one `user`, `plan`, `token`, `settings`
 * and `request` (a program's, or one that was refused). `missed` is said after a lost connection: read the state again.
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
  "missed",
] as const;
export type Topic = (typeof TOPICS)[number];

export interface Events {
  /** Calls `heard` for each announcement of the topic until the returned function is called. */
  on(topic: Topic, heard: (id: number) => void): () => void;
  /** Tells this process at once what the database has committed; its own announcement comes round a little later. */
  tell(topic: Topic, id: number): void;
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Milliseconds between two looks whether the connection is still there. */
  readonly lookEveryMs?: number;
  /** Milliseconds after which a connection that gives no answer is taken for lost. */
  readonly answerMs?: number;
}

/** Opens the LISTEN connection and keeps it open. */
export async function listenForEvents(
  databaseUrl: string,
  log: Logger,
  { lookEveryMs = LOOK_EVERY_MS, answerMs = ANSWER_MS }: ListenOptions = {},
): Promise<Events> {
  const emitter = new EventEmitter().setMaxListeners(0);
  const closing = new AbortController();
  /** Also while there is none yet. */
  let replacing = true;
  let client = await connect();
  replacing = false;
  /** The connection whose answer is still awaited. */
  let asked: Client | null = null;

  async function connect(): Promise<Client> {
    const fresh = new Client({
      connectionString: databaseUrl,
      application_name: "drover events",
      keepAlive: true,
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
    });
    fresh.on("notification", ({ payload }) => hear(payload ?? ""));
    fresh.on("error", (error) => log.warn({ err: error }, "the events connection was lost"));
    fresh.on("end", () => void replace());
    try {
      await fresh.connect();
      await fresh.query(`listen ${CHANNEL}`);
    } catch (error) {
      fresh.removeAllListeners("end");
      await fresh.end().catch((reason: unknown) => log.debug({ err: reason }, "closing a failed events connection"));
      throw error;
    }
    return fresh;
  }

  const looking = setInterval(() => void look(client), lookEveryMs).unref();

  async function look(looked: Client): Promise<void> {
    if (replacing || asked === looked) return;
    asked = looked;
    try {
      await looked.query("select");
      asked = null;
    } catch (error) {
      // Its end may have been noticed meanwhile.
      if (looked !== client || replacing || closing.signal.aborted) return;
      log.warn({ err: error }, "the events connection gives no answer: it is replaced");
      looked.end().catch((reason: unknown) => log.debug({ err: reason }, "closing a silent events connection"));
      await replace();
    }
  }

  async function replace(): Promise<void> {
    if (replacing) return;
    replacing = true;
    client.removeAllListeners("end").removeAllListeners("notification");
    await reconnect();
    replacing = false;
  }

  function hear(payload: string): void {
    const parsed = announcement.safeParse(parsedJson(payload));
    if (parsed.success) emitter.emit(parsed.data.topic, parsed.data.id);
    else log.warn({ payload }, "an announcement that is not understood");
  }

  async function reconnect(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await delay(RECONNECT_MS, undefined, { signal: closing.signal });
        client = await connect();
        if (closing.signal.aborted) await client.end();
        else emitter.emit("missed", 0);
        return;
      } catch (error) {
        if (!closing.signal.aborted) log.debug({ err: error }, "the events connection is still down");
      }
    }
  }

  return {
    on(topic, heard) {
      emitter.on(topic, heard);
      return () => emitter.off(topic, heard);
    },
    tell(topic, id) {
      emitter.emit(topic, id);
    },
    async close() {
      closing.abort();
      clearInterval(looking);
      client.removeAllListeners("end");
      await client.end();
    },
  };
}

/** Anybody who may use the database may announce something. @returns undefined when it is no JSON */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
