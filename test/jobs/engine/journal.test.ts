// The journal of a claimed job: what is written together, and what becomes of an entry that is refused or fails.
import assert from "node:assert/strict";
import { Journal } from "../../../jobs/engine/journal.js";
import { Fenced } from "../../../jobs/engine/step.js";
import { MemoryStore } from "./memory.js";

const LEASE = { id: 1, leaseEpoch: 1, steps: [] };
const done = (name: string, output = {}) => ({ name, position: 0, status: "done", output }) as const;

describe("jobs/engine/journal", () => {
  let store: MemoryStore;
  let journal: Journal;
  beforeEach(() => {
    store = new MemoryStore();
    store.add({ status: "running", leaseEpoch: 1 });
    journal = new Journal(store, LEASE);
  });
  const job = () => store.jobs.get(1) ?? assert.fail();

  it("writes the end of a step with the next entry, in one write", async () => {
    journal.stepEnded(done("one", { undoing: "x" }), 0.5);
    assert.deepEqual(store.writes, []);
    await journal.write({ steps: [{ name: "two", position: 1, status: "running" }], step: "two" });
    assert.deepEqual(store.writes, ["write"]);
    assert.deepEqual(
      [...job().steps].map(([name, { status }]) => [name, status]),
      [
        ["one", "done"],
        ["two", "running"],
      ],
    );
    assert.deepEqual([job().facts, job().progress, job().step], [{ undoing: "x" }, 0.5, "two"]);
  });

  it("writes an end once", async () => {
    journal.stepEnded(done("one"), 0.5);
    await journal.write();
    job().steps.clear();
    await journal.write({ progress: 0.7 });
    assert.deepEqual([...job().steps.keys(), job().progress], [0.7]);
  });

  it("keeps an end for the next entry when a write fails", async () => {
    journal.stepEnded(done("one"), 0.5);
    store.before = () => {
      throw new Error("away");
    };
    await assert.rejects(journal.write(), /away/);
    store.before = () => undefined;
    await journal.end(null);
    assert.deepEqual([...job().steps.keys()], ["one"]);
  });

  it("ends a job with what waits, and a failed one where it stands", async () => {
    journal.stepEnded(done("one"), 0.25);
    await journal.end("no disk");
    assert.deepEqual([job().status, job().error, job().progress], ["failed", "no disk", 0.25]);
    assert.deepEqual([...job().steps.keys()], ["one"]);
  });

  const writes: Readonly<Record<string, () => Promise<void>>> = {
    "an entry": () => journal.write({ findings: { failure: "why" } }),
    "a task": () => journal.writeTask("clone", "UPID:1"),
    "what it waits for": () => journal.writeWaiting({ hostId: 1, reason: "away", sinceMsAgo: 1, againInMs: 1 }),
    "that it goes on": () => journal.writeWaiting(null),
    "the begin of an undo": async () => {
      journal.stepEnded(done("one"), 0.5);
      await journal.undoBegins("one");
    },
    "its end": () => journal.end(null),
  };
  for (const [what, write] of Object.entries(writes)) {
    it(`refuses ${what} of a worker that lost the lease`, async () => {
      store.takeOver(LEASE);
      const before = structuredClone(job());
      await assert.rejects(write(), Fenced);
      assert.deepEqual(job(), before);
      assert.equal(store.writes.length, 1);
    });
  }
});
