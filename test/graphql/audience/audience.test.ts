// Many subscribers of one source: what each is told, in which order, however slowly it reads and whenever it came or went.
import assert from "node:assert/strict";
import { Audience } from "../../../graphql/audience/audience.js";
import type { Subscriber } from "../../../graphql/audience/subscriber.js";
import type { LiveEvent } from "../../../src/events/liveSource.js";
import { eventually } from "../../support/eventually.js";
import { Client, Records } from "./support.js";

const JOB = 7;
const OTHER_JOB = 8;
/** As much as is kept for those who are behind. */
const LONGEST_BACKLOG = 8 * 1024 * 1024;

describe("graphql/audience", () => {
  let records: Records;
  let audience: Audience;
  let executions: number;
  let ends: number;

  function gather(first: number | null): void {
    records = new Records(first);
    executions = 0;
    ends = 0;
    const execute = (event: LiveEvent): Promise<string> => {
      executions += 1;
      return Promise.resolve(JSON.stringify("row" in event ? event.row : null));
    };
    audience = new Audience({
      source: records.source,
      execute,
      present: (error) => [{ message: String(error) }],
      over: () => (ends += 1),
    });
  }

  async function admit(client: Client): Promise<Subscriber> {
    const subscriber = await audience.admit(client);
    assert.ok(subscriber !== null);
    return subscriber;
  }

  describe("of one record", () => {
    beforeEach(() => gather(JOB));

    it("reads and executes a change once, and tells each with the id of its own", async () => {
      const clients = [new Client("id 0"), new Client("id 1"), new Client("id 1")];
      for (const client of clients) await admit(client);
      const before = executions;
      const reads = records.reads;
      records.change(JOB, "a");
      await told(clients, "none", "a");
      assert.deepEqual([executions - before, records.reads - reads], [1, 1]);
      assert.deepEqual(
        clients.map(({ messages }) => messages[1]),
        ["id 0", "id 1", "id 1"].map((id) => `{"id":"${id}","type":"next","payload":{"value":"a"}}`),
      );
    });

    it("tells who joins the present state, and others nothing of it", async () => {
      const [early, late] = [new Client(), new Client()];
      await admit(early);
      await admit(late);
      assert.deepEqual([early.values, late.values], [["none"], ["none"]]);
    });

    it("tells who joins while a reading is under way what a later one finds, once", async () => {
      const [early, late] = [new Client(), new Client()];
      await admit(early);
      records.hold();
      records.change(JOB, "a");
      await eventually(() => Promise.resolve(assert.equal(records.reads, 2)));
      // The reading under way has seen "a", and not this.
      records.change(JOB, "b");
      const joining = admit(late);
      records.letGo();
      await joining;
      records.change(JOB, "c");
      await told([early], "none", "a", "b", "c");
      await told([late], "b", "c");
    });

    it("is over for who joins as it ends", async () => {
      await admit(new Client());
      records.hold();
      records.end(JOB);
      const joining = audience.admit(new Client());
      records.letGo();
      assert.equal(await joining, null);
      assert.equal(await audience.admit(new Client()), null);
      assert.equal(ends, 1);
    });

    it("goes on when one leaves, and ends its source with the last", async () => {
      const [staying, leaving] = [new Client(), new Client()];
      const last = await admit(staying);
      await (await admit(leaving)).return();
      records.change(JOB, "a");
      await told([staying], "none", "a");
      assert.deepEqual(leaving.values, ["none"]);
      assert.equal(records.isFollowed, true);
      await last.return();
      assert.deepEqual([records.isFollowed, ends], [false, 1]);
    });

    it("tells who has nowhere to put the first state of it when there is room", async () => {
      const [reading, full] = [new Client(), new Client()];
      await admit(reading);
      full.stopReading();
      const joining = admit(full);
      records.change(JOB, "a");
      await told([reading], "none", "a");
      full.readOn();
      await joining;
      assert.deepEqual(full.values, ["a"]);
    });

    it("ends with its source, who is behind after everything was told", async () => {
      const [reading, slow] = [new Client(), new Client()];
      for (const client of [reading, slow]) await admit(client);
      slow.stopReading();
      records.change(JOB, "a");
      await told([reading], "none", "a");
      records.end(JOB);
      await eventually(() => Promise.resolve(assert.equal(reading.end, null)));
      assert.deepEqual([slow.values, slow.end], [["none"], undefined]);
      slow.readOn();
      assert.deepEqual([slow.values, slow.end], [["none", "a"], null]);
    });

    it("tells all of a fault of its source, who just joins too", async () => {
      const clients = [new Client(), new Client()];
      for (const client of clients) await admit(client);
      const joining = new Client();
      records.hold();
      records.fail(JOB, new Error("no"));
      const admitted = admit(joining);
      records.letGo();
      await admitted;
      for (const { end } of [...clients, joining]) assert.deepEqual(end, [{ message: "Error: no" }]);
    });
  });

  describe("of many records", () => {
    beforeEach(() => gather(null));

    it("tells who is slow each record once, as it is by then, and all others everything at once", async () => {
      const [reading, slow] = [new Client(), new Client()];
      await admit(reading);
      await admit(slow);
      slow.stopReading();
      for (const [id, value] of [
        [JOB, "a"],
        [OTHER_JOB, "b"],
        [JOB, "c"],
      ] as const) {
        records.change(id, value);
        await eventually(() => Promise.resolve(assert.equal(reading.values.at(-1), value)));
      }
      assert.deepEqual([reading.values, slow.values], [["a", "b", "c"], []]);
      slow.readOn();
      assert.deepEqual(slow.values, ["b", "c"]);
      records.change(JOB, "d");
      await told([slow], "b", "c", "d");
    });

    it("reads nothing while nobody can be told", async () => {
      const [one, another] = [new Client(), new Client()];
      await admit(one);
      await admit(another);
      for (const client of [one, another]) client.stopReading();
      records.change(JOB, "a");
      await eventually(() => Promise.resolve(assert.equal(executions, 1)));
      for (const value of ["b", "c", "d"]) records.change(JOB, value);
      one.readOn();
      await told([one], "a", "d");
      another.readOn();
      await told([another], "d");
      assert.equal(executions, 2);
    });

    it("cuts the hindmost when too much is kept for them, and keeps telling the others", async () => {
      const [reading, slow, slower] = [new Client(), new Client(), new Client()];
      for (const client of [reading, slow, slower]) await admit(client);
      const much = "x".repeat(LONGEST_BACKLOG * 0.4);
      slower.stopReading();
      for (const [count, id] of [JOB, OTHER_JOB, OTHER_JOB + 1].entries()) {
        records.change(id, `${count}${much}`);
        await eventually(() => Promise.resolve(assert.equal(reading.messages.length, count + 1)));
        slow.stopReading();
      }
      assert.deepEqual([reading.wasCut, slow.wasCut, slower.wasCut], [false, false, true]);
      slow.readOn();
      assert.equal(slow.messages.length, 3);
      assert.equal(slower.messages.length, 0);
    });
  });
});

/** Waits until each was told these values, and no others. */
const told = (clients: readonly Client[], ...values: string[]): Promise<void> =>
  eventually(() => {
    for (const client of clients) assert.deepEqual(client.values, values);
    return Promise.resolve();
  });
