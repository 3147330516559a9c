// The storages of the queue: PostgreSQL, and MongoDB, which is a stand-in unless `TEST_MONGODB_URI` names a server.
import type { JobQueue } from "../../../jobs/queue/queue.js";
import { MongoStandIn } from "../../support/mongo/standIn.js";

/** @returns the connection string of the queue's MongoDB, if it has one, and what ends the server */
export type Server = () => Promise<{ readonly mongodbUri: string | undefined; readonly end: () => Promise<void> }>;

const standIn =
  (replicaSet: string | undefined): Server =>
  async () => {
    const mongo = await MongoStandIn.start(replicaSet === undefined ? {} : { replicaSet });
    const mongodbUri = `mongodb://127.0.0.1:${mongo.port}/queue${replicaSet === undefined ? "" : `?replicaSet=${replicaSet}`}`;
    return { mongodbUri, end: () => mongo.close() };
  };
const given = (mongodbUri: string | undefined): Server => {
  const server = { mongodbUri, end: () => Promise.resolve() };
  return () => Promise.resolve(server);
};
const real = process.env["TEST_MONGODB_URI"];

export const backends: Readonly<Record<string, Server>> = {
  PostgreSQL: given(undefined),
  "a MongoDB that stands alone": standIn(undefined),
  "a replica set of MongoDB": standIn("rs0"),
  ...(real === undefined ? {} : { "the MongoDB of TEST_MONGODB_URI": given(real) }),
};

/** A queue in which no entry ever arrives. */
export const silentQueue: Pick<JobQueue, "serve"> = { serve: () => Promise.resolve() };
