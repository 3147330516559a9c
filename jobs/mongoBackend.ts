// Keeps the wake-ups of the job queue in MongoDB.
import { MongoBackend, MongoChangeStreamNotificationChannel } from "@agendajs/mongo-backend";
import type { Backend } from "./queue.js";
import { reachMongo, type MongoWait } from "./reachMongo.js";

/** The backend on MongoDB; instant wake-ups need change streams, which only a replica set has. */
export async function mongoBackend(uri: string, waiting: MongoWait, lost: (error: unknown) => void): Promise<Backend> {
  const client = await reachMongo(uri, waiting);
  const mongo = client.db();
  const backend = new MongoBackend({ mongo });
  const hello = await mongo.command({ hello: 1 });
  const streams = typeof hello["setName"] === "string";
  const channel = streams ? new MongoChangeStreamNotificationChannel({ db: mongo }) : undefined;
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
