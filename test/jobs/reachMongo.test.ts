// A MongoDB that is away when the service starts is waited for, until the service is to stop.
import assert from "node:assert/strict";
import { connectQueue } from "../../jobs/queue.js";
import { createLogger } from "../../src/log.js";

describe("jobs/reachMongo", () => {
  it("waits and says so, until it is told to stop", async () => {
    const log = createLogger("silent", "test");
    const stopping = new AbortController();
    const told: string[] = [];
    log.warn = (_particulars: unknown, message?: string) => {
      told.push(message ?? "");
      stopping.abort(new Error("enough"));
    };
    const away = "mongodb://127.0.0.1:1/queue";
    const connection = { databaseUrl: "", mongodbUri: away, name: "test", signal: stopping.signal };
    await assert.rejects(connectQueue(connection, log), /enough/);
    assert.deepEqual(told, ["waiting for the job queue's MongoDB"]);
  });
});
