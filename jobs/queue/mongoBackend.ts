// Keeps the wake-ups of the job queue in MongoDB.
import { MongoBackend, MongoChangeStreamNotificationChannel } from "@agendajs/mongo-backend";
import type { MongoClient } from "mongodb";
import type { Backend } from "./backend.js";
import { reachMongo, type MongoWait } from "./reachMongo.js";

/**
 * The backend on MongoDB; instant wake-ups need change streams, which only a replica set has.
 * @throws ConfigError when the server refuses for good, or refuses what the queue needs; the signal's reason
 */
export async function mongoBackend(uri: string, waiting: MongoWait, lost: (error: unknown) => void): Promise<Backend> {
  const { client, backend, streams } = await reachMongo(uri, waiting, openBackend);
  const mongo = client.db();
  const channel = streams ? new ChangeStream({ db: mongo }) : undefined;
  channel?.on("error", lost);
  if (!streams) waiting.log.info("MongoDB is no replica set: jobs are picked up at the next poll, not at once");
  return {
    options: channel === undefined ? { backend } : { backend, notificationChannel: channel },
    async check() {
      await mongo.command({ ping: 1 });
    },
    async close() {
      await channel?.disconnect();
      await client.close();
    },
  };
}

interface OpenedBackend {
  readonly client: MongoClient;
  readonly backend: MongoBackend;
  /** Whether the server has change streams. */
  readonly streams: boolean;
}

async function openBackend(client: MongoClient): Promise<OpenedBackend> {
  const mongo = client.db();
  const hello = await mongo.command({ hello: 1 });
  const backend = new MongoBackend({ mongo });
  await backend.connect();
  // Several workers schedule the same task at once: Agenda's own index lets each make an entry.
  await mongo
    .collection("agendaJobs")
    .createIndex({ name: 1 }, { name: "oneEntryATask", unique: true, partialFilterExpression: { type: "single" } });
  // Agenda would connect it again without handling a rejection, which would end the process.
  backend.connect = () => Promise.resolve();
  return { client, backend, streams: typeof hello["setName"] === "string" };
}

/**
 * A change stream that always begins with what happens now. One that resumed where it was would meet the loss of its collection
 * again and again, and end each time; wake-ups that it misses are found by the next poll.
 */
class ChangeStream extends MongoChangeStreamNotificationChannel {
  override connect(): Promise<void> {
    Reflect.deleteProperty(this, "resumeToken");
    return super.connect();
  }
}
