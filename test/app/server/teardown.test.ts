// The order in which a service ends, whatever fails on the way.
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { Teardown } from "../../../app/server/teardown.js";
import { silentLog } from "../../support/log.js";

const noted = (): { teardown: Teardown; ended: string[] } => ({ teardown: new Teardown(silentLog), ended: [] });

describe("server/teardown", () => {
  it("ends the doors first and the database server last, in whatever order they were started", async () => {
    const { teardown, ended } = noted();
    for (const stage of [
      "server",
      "database",
      "events",
      "ingress",
      "queue",
      "workers",
      "platform",
      "writes",
    ] as const) {
      teardown.add(stage, stage, () => void ended.push(stage));
    }
    await teardown.run();
    assert.deepEqual(ended, ["ingress", "workers", "writes", "events", "queue", "platform", "database", "server"]);
  });

  it("ends parts of one stage together, and waits for all before the next", async () => {
    const { teardown, ended } = noted();
    teardown.add("ingress", "slow", async () => {
      await turn();
      await turn();
      ended.push("slow");
    });
    teardown.add("ingress", "quick", () => void ended.push("quick"));
    teardown.add("workers", "later", () => void ended.push("later"));
    await teardown.run();
    assert.deepEqual(ended, ["quick", "slow", "later"]);
  });

  it("goes on when a part cannot be ended", async () => {
    const { teardown, ended } = noted();
    teardown.add("ingress", "broken", () => Promise.reject(new Error("no")));
    teardown.add("ingress", "throws", () => {
      throw new Error("no");
    });
    teardown.add("server", "server", () => void ended.push("server"));
    await teardown.run();
    assert.deepEqual(ended, ["server"]);
  });

  it("ends everything once, also when it is asked twice", async () => {
    const { teardown, ended } = noted();
    teardown.add("ingress", "door", () => void ended.push("door"));
    await Promise.all([teardown.run(), teardown.run()]);
    assert.deepEqual(ended, ["door"]);
  });
});
