// Many clients of one subscription: what each gets, in which order, however slowly it reads and whenever it joins or leaves.
import assert from "node:assert/strict";
import type { ExecutionResult } from "graphql";
import { SharedSubscription } from "../../../graphql/shared/sharedSubscription.js";
import { MOST_WAITING } from "../../../graphql/shared/subscriber.js";
import type { LiveEvent } from "../../../src/events/liveSource.js";
import { eventually } from "../../support/eventually.js";
import { Client, Records } from "./support.js";

const JOB = 7;
const OTHER_JOB = 8;

describe("graphql/shared", () => {
  let records: Records;
  let shared: SharedSubscription;
  let executions: number;
  let ends: number;

  function begin(first: number | null): void {
    records = new Records(first);
    executions = 0;
    ends = 0;
    const execute = (event: LiveEvent): Promise<ExecutionResult> => {
      executions += 1;
      return Promise.resolve({ data: "row" in event ? Object(event.row) : null });
    };
    shared = new SharedSubscription({ source: records.source, execute, over: () => (ends += 1) });
  }

  async function join(client: Client): Promise<void> {
    const subscriber = await shared.join(client);
    assert.ok(subscriber !== null);
    client.follow(subscriber);
  }

  describe("of one record", () => {
    beforeEach(() => begin(JOB));

    it("reads and executes a change once for all clients", async () => {
      const clients = [new Client(), new Client(), new Client()];
      for (const client of clients) await join(client);
      const before = [executions, records.reads];
      records.change(JOB, "a");
      await sent(clients, "none", "a");
      assert.deepEqual(
        [executions, records.reads].map((count, which) => count - Number(before[which])),
        [1, 1],
      );
    });

    it("sends a new client the present state, and others nothing of it", async () => {
      const [early, late] = [new Client(), new Client()];
      await join(early);
      await join(late);
      await sent([early, late], "none");
    });

    it("sends a client that joins during a reading each later state once", async () => {
      const [early, late] = [new Client(), new Client()];
      await join(early);
      records.hold();
      records.change(JOB, "a");
      await eventually(() => Promise.resolve(assert.equal(records.reads, 2)));
      records.change(JOB, "b");
      const joining = join(late);
      records.letGo();
      await joining;
      await sent([early], "none", "a", "b");
      records.change(JOB, "c");
      await sent([early], "none", "a", "b", "c");
      await sent([late], "a", "b", "c");
    });

    it("is over for a client that joins as it ends", async () => {
      await join(new Client());
      records.hold();
      records.end(JOB);
      const joining = shared.join(new Client());
      records.letGo();
      assert.equal(await joining, null);
      assert.equal(await shared.join(new Client()), null);
      assert.equal(ends, 1);
    });

    it("goes on when a client leaves, and ends its source with the last", async () => {
      const [staying, leaving] = [new Client(), new Client()];
      await join(staying);
      await join(leaving);
      await sent([leaving], "none");
      await leaving.leave();
      records.change(JOB, "a");
      await sent([staying], "none", "a");
      assert.deepEqual([leaving.values, leaving.end], [["none"], null]);
      assert.equal(records.isFollowed, true);
      await staying.leave();
      assert.deepEqual([records.isFollowed, ends], [false, 1]);
    });

    it("ends with its source, for a slow client after the last state", async () => {
      const [reading, slow] = [new Client(), new Client()];
      for (const client of [reading, slow]) await join(client);
      await sent([slow], "none");
      slow.stopReading();
      for (const value of ["a", "b"]) {
        records.change(JOB, value);
        await eventually(() => Promise.resolve(assert.equal(reading.values.at(-1), value)));
      }
      records.end(JOB);
      await eventually(() => Promise.resolve(assert.equal(reading.end, null)));
      assert.deepEqual([slow.values, slow.end], [["none"], undefined]);
      slow.readOn();
      await eventually(() => Promise.resolve(assert.equal(slow.end, null)));
      assert.deepEqual(slow.values, ["none", "a", "b"]);
    });

    it("ends for all clients with a fault of its source, also for one that just joins", async () => {
      const clients = [new Client(), new Client()];
      for (const client of clients) await join(client);
      const joining = new Client();
      const fault = new Error("no");
      records.hold();
      records.fail(JOB, fault);
      const joined = join(joining);
      records.letGo();
      await joined;
      for (const client of [...clients, joining]) {
        await eventually(() => Promise.resolve(assert.equal(client.end, fault)));
      }
    });
  });

  describe("of many records", () => {
    beforeEach(() => begin(null));

    it("sends a slow client each record once, in its latest state, and all others everything at once", async () => {
      const [reading, slow] = [new Client(), new Client()];
      await join(reading);
      await join(slow);
      slow.stopReading();
      for (const [id, value] of [
        [OTHER_JOB + 1, "being sent"],
        [JOB, "a"],
        [OTHER_JOB, "b"],
        [JOB, "c"],
      ] as const) {
        records.change(id, value);
        await eventually(() => Promise.resolve(assert.equal(reading.values.at(-1), value)));
      }
      assert.deepEqual([reading.values, slow.values], [["being sent", "a", "b", "c"], []]);
      slow.readOn();
      await sent([slow], "being sent", "b", "c");
      records.change(JOB, "d");
      await sent([slow], "being sent", "b", "c", "d");
    });

    it("reads nothing while all clients lag", async () => {
      const [one, another] = [new Client(), new Client()];
      await join(one);
      await join(another);
      for (const client of [one, another]) client.stopReading();
      for (const [count, value] of ["being sent", "a"].entries()) {
        records.change(JOB, value);
        await eventually(() => Promise.resolve(assert.equal(executions, count + 1)));
      }
      for (const value of ["b", "c", "d"]) records.change(JOB, value);
      one.readOn();
      await sent([one], "being sent", "a", "d");
      another.readOn();
      await sent([another], "being sent", "d");
      assert.equal(executions, 3);
    });

    it("cuts a client for which too many records wait, and no other", async () => {
      const [reading, slow] = [new Client(), new Client()];
      for (const client of [reading, slow]) await join(client);
      slow.stopReading();
      for (let id = 1; id <= MOST_WAITING + 2; id++) {
        records.change(id, `${id}`);
        if (id % 1000 === 0) await eventually(() => Promise.resolve(assert.equal(reading.values.length, id)));
      }
      await eventually(() => Promise.resolve(assert.equal(reading.values.length, MOST_WAITING + 2)));
      assert.deepEqual([reading.wasCut, slow.wasCut], [false, true]);
    });
  });
});

/** Resolves when each client has been sent these values, and no others. */
const sent = (clients: readonly Client[], ...values: string[]): Promise<void> =>
  eventually(() => {
    for (const client of clients) assert.deepEqual(client.values, values);
    return Promise.resolve();
  });
