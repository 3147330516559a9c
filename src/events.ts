// News between processes: the database announces what changed, every process hears it over one LISTEN connection.
import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { z } from "zod";
import type { Logger } from "./log.js";

const CHANNEL = "drover";
const RECONNECT_MS = 250;

const announcement = z.object({ topic: z.string(), id: z.number().int() });

/**
 * What the database announces (schema change 5): `job`, `migration`, `run` and `guest` with their id, `guests` with a host's id (many at once),
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

/** Opens the LISTEN connection and keeps it open. */
export async function listenForEvents(databaseUrl: string, log: Logger): Promise<Events> {
  const emitter = new EventEmitter().setMaxListeners(0);
  const closing = new AbortController();
  let client = await connect();

  async function connect(): Promise<Client> {
    const fresh = new Client({ connectionString: databaseUrl, application_name: "drover events", keepAlive: true });
    fresh.on("notification", ({ payload }) => hear(payload ?? ""));
    fresh.on("error", (error) => log.warn({ err: error }, "the events connection was lost"));
    fresh.on("end", () => void reconnect());
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

  function hear(payload: string): void {
    const parsed = announcement.safeParse(JSON.parse(payload));
    if (parsed.success) emitter.emit(parsed.data.topic, parsed.data.id);
    else log.warn({ payload }, "an announcement that is not understood");
  }

  async function reconnect(): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        await delay(RECONNECT_MS, undefined, { signal: closing.signal });
        client = await connect();
        emitter.emit("missed", 0);
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
      client.removeAllListeners("end");
      await client.end();
    },
  };
}
