// The start with a queue on MongoDB: what is waited for until it is there, and what is refused at once by a message that can be acted on.
import assert from "node:assert/strict";
import { connectQueue } from "../../../jobs/queue/queue.js";
import { ConfigError } from "../../../src/config/configError.js";
import { createLogger } from "../../../src/observability/log.js";
import { MongoStandIn } from "../../support/mongo/standIn.js";
import { keptLog, silentLog } from "../../support/log.js";

const ACCOUNT = { user: "drover", password: "right" };
const WAITING = "waiting for the job queue's MongoDB (MONGODB_URI)";

const connect = (mongodbUri: string) => connectQueue({ databaseUrl: "", mongodbUri, name: "test" }, silentLog);

/** @returns what was logged until the waiting was ended with the first line */
const waitedFor = async (mongodbUri: string): Promise<(string | undefined)[]> => {
  const log = createLogger("silent", "test");
  const stopping = new AbortController();
  const told: (string | undefined)[] = [];
  log.warn = (_particulars: unknown, message?: string) => {
    told.push(message);
    stopping.abort(new Error("enough"));
  };
  const connection = { databaseUrl: "", mongodbUri, name: "test", signal: stopping.signal };
  await assert.rejects(connectQueue(connection, log), /enough/);
  return told;
};

describe("jobs/queue/reachMongo", () => {
  it("waits for a server that is away and reports it, until it is stopped", async () => {
    assert.deepEqual(await waitedFor("mongodb://127.0.0.1:1/queue"), [WAITING]);
  });

  it("waits for names that cannot be resolved: later they may be", async () => {
    assert.deepEqual(await waitedFor("mongodb://queue.invalid/queue"), [WAITING]);
    assert.deepEqual(await waitedFor("mongodb+srv://queue.invalid/queue"), [WAITING]);
  });

  it("waits for a server that is no primary at the moment", async () => {
    const mongo = await MongoStandIn.start({ notPrimaryFor: ["createIndexes"] });
    assert.deepEqual(await waitedFor(`mongodb://127.0.0.1:${mongo.port}/queue`), [WAITING]);
    await mongo.close();
  });

  it("opens the queue when the server has come back", async () => {
    const mongo = await MongoStandIn.start();
    const { port } = mongo;
    await mongo.goAway();
    const connecting = connect(`mongodb://127.0.0.1:${port}/queue`);
    await mongo.listen(port);
    const queue = await connecting;
    await queue.check();
    await queue.close();
    await mongo.close();
  });

  for (const [what, options] of [
    ["logs that jobs wait for the next poll where it is no replica set", {}],
    ["logs nothing of the kind where it is a replica set", { replicaSet: "rs0" }],
  ] as const) {
    it(what, async () => {
      const mongo = await MongoStandIn.start(options);
      const { log, lines } = keptLog();
      const mongodbUri = `mongodb://127.0.0.1:${mongo.port}/queue`;
      const queue = await connectQueue({ databaseUrl: "", mongodbUri, name: "test" }, log);
      await queue.close();
      await mongo.close();
      const polling = "info: MongoDB is no replica set: jobs are picked up at the next poll, not at once";
      assert.deepEqual(lines, "replicaSet" in options ? [] : [polling]);
    });
  }

  it("accepts the right password, and refuses a wrong one for good", async () => {
    const mongo = await MongoStandIn.start({ account: ACCOUNT });
    const uriWith = (password: string) => `mongodb://drover:${password}@127.0.0.1:${mongo.port}/queue?authSource=admin`;
    const queue = await connect(uriWith("right"));
    await queue.check();
    await queue.close();
    await assert.rejects(connect(uriWith("wrong")), (error) => {
      assert.ok(error instanceof ConfigError, String(error));
      assert.equal(error.message, "MONGODB_URI: MongoDB cannot be used for the job queue: Authentication failed.");
      return true;
    });
    await mongo.close();
  });

  it("refuses for good without a password that the server requires, and with a user who lacks a right", async () => {
    const closed = await MongoStandIn.start({ account: ACCOUNT });
    await assert.rejects(connect(`mongodb://127.0.0.1:${closed.port}/queue`), {
      name: "ConfigError",
      message: "MONGODB_URI: MongoDB cannot be used for the job queue: Command requires authentication",
    });
    await closed.close();
    const readOnly = await MongoStandIn.start({ forbidden: ["createIndexes"] });
    await assert.rejects(connect(`mongodb://127.0.0.1:${readOnly.port}/queue`), {
      name: "ConfigError",
      message: /^MONGODB_URI: MongoDB cannot .*: not authorized on queue to execute command createIndexes$/,
    });
    await readOnly.close();
  });

  it("refuses for good when a file that the connection string names is missing", async () => {
    await assert.rejects(connect("mongodb://127.0.0.1:1/queue?tls=true&tlsCAFile=/nowhere/ca.pem"), {
      name: "ConfigError",
      message: /^MONGODB_URI: MongoDB cannot .*\/nowhere\/ca\.pem/,
    });
  });
});
